#!lua flags=allow-oom
-- FINISH_RECOUNT: puts what a recount has found in the place of what was counted.
-- KEYS: tenant
-- ARGV: walk
-- Returns: {'mended', by, endedBy}: by how many bytes the counts were wrong; {'stale'} when another recount has begun
local walk, walked, walked_ended, stored, ended = unpack(redis.call(
  'HMGET', K_tenant, 'walk', 'walked', 'walkedEnded', 'stored', 'storedEnded'))
if walk ~= A_walk then return {'stale'} end
redis.call('HSET', K_tenant, 'stored', walked, 'storedEnded', walked_ended)
redis.call('HDEL', K_tenant, 'walk', 'walked', 'walkedEnded')
return {'mended', string.format('%d', walked - (stored or 0)), string.format('%d', walked_ended - (ended or 0))}
