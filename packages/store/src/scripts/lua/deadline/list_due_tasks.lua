#!lua flags=allow-oom
-- SWEEP: finds the tasks of one tenant that have fallen due, and sets right when the tenant is to be looked at again.
-- KEYS: deadlines due
-- ARGV: tenant most
-- Returns: {ref, ...}; a tenant of which there are any stands behind all others then
-- A task stands here until EXPIRE has given it what fell due, so what one sweep leaves the next one finds.
-- @include clock
local now = clock()
local refs = redis.call('ZRANGEBYSCORE', K_deadlines, '-inf', now, 'LIMIT', 0, A_most)
if #refs == 0 then
  local first = redis.call('ZRANGE', K_deadlines, 0, 0, 'WITHSCORES')
  if first[2] then
    redis.call('ZADD', K_due, first[2], A_tenant)
  else
    redis.call('ZREM', K_due, A_tenant)
  end
else
  redis.call('ZADD', K_due, now, A_tenant)
end
return refs
