#!lua flags=allow-oom
-- LIST_DUE_TASKS: the tasks of one tenant that have fallen due, and the ended ones that are to go or to lose what is large;
-- sets the tenant's own place among the due right.
-- Arguments: lease: for so many ms a deletion of the tenant that goes on is left alone
-- Returns: {due, ended, large, cut_off}: refs each, and 1 of a deletion of the tenant that was cut off; a tenant of which there are any stands behind all others then
-- A task stands here until EXPIRE has given it what fell due, or FORGET_TASKS has let it go, so what one sweep leaves the next
-- one finds.
local now = clock()
local deleted, name = unpack(redis.call('HMGET', K_tenant, 'deleted', 'name'))
if deleted and name then
  -- Its tasks leave by its deletion alone. `deleted` is 1 until a sweep notes when it has seen it.
  local cut_off = deleted ~= '1' and tonumber(deleted) + tonumber(A_lease) <= now
  if deleted == '1' or cut_off then
    deleted = now
    redis.call('HSET', K_tenant, 'deleted', now)
  end
  redis.call('ZADD', K_due, deleted + A_lease, A_name)
  return {{}, {}, {}, cut_off and 1 or 0}
end
local due = redis.call('ZRANGEBYSCORE', K_deadlines, '-inf', now, 'LIMIT', 0, A_limit)
local ended = redis.call('ZRANGEBYSCORE', K_retained, '-inf', now, 'LIMIT', 0, A_limit)
local large = {}
if #ended == 0 then
  local tasks, bytes = read_excess(K_tenant, K_retained)
  if tasks > 0 then
    ended = redis.call('ZRANGE', K_retained, 0, math.min(tasks, tonumber(A_limit)) - 1)
  elseif bytes > 0 then
    large = redis.call('ZRANGE', K_retained, '(' .. (redis.call('HGET', K_tenant, 'strippedTo') or '-inf'), '+inf', 'BYSCORE', 'LIMIT', 0, A_limit)
    if #large == 0 then ended = redis.call('ZRANGE', K_retained, 0, A_limit - 1) end
  end
end
if #due + #ended + #large > 0 then
  redis.call('ZADD', K_due, now, A_name)
  return {due, ended, large, 0}
end
local _, first_due = unpack(redis.call('ZRANGE', K_deadlines, 0, 0, 'WITHSCORES'))
local _, first_ended = unpack(redis.call('ZRANGE', K_retained, 0, 0, 'WITHSCORES'))
local first = math.min(tonumber(first_due or math.huge), tonumber(first_ended or math.huge))
if first < math.huge then
  redis.call('ZADD', K_due, first, A_name)
else
  redis.call('ZREM', K_due, A_name)
end
return {due, ended, large, 0}
