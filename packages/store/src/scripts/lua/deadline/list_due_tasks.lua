#!lua flags=allow-oom
-- LIST_DUE_TASKS: the tasks of one tenant that have fallen due; sets the tenant's own place among the due right.
-- KEYS: deadlines due
-- ARGV: tenant limit
-- Returns: {ref, ...}; a tenant of which there are any stands behind all others then
-- A task stands here until EXPIRE has given it what fell due, so what one sweep leaves the next one finds.
-- @include clock
local now = clock()
local refs = redis.call('ZRANGEBYSCORE', K_deadlines, '-inf', now, 'LIMIT', 0, A_limit)
if #refs == 0 then
  local _, first = unpack(redis.call('ZRANGE', K_deadlines, 0, 0, 'WITHSCORES'))
  if first then
    redis.call('ZADD', K_due, first, A_tenant)
  else
    redis.call('ZREM', K_due, A_tenant)
  end
else
  redis.call('ZADD', K_due, now, A_tenant)
end
return refs
