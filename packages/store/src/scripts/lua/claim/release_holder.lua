#!lua flags=allow-oom
-- RESIGN: ends every claim of a holder, and sees to it that it is given none any more by a look that is still under way.
-- KEYS: tenant claims holders
-- ARGV: member holder life
--       member: the name of the wait for work; life: ms for which it is remembered
-- Returns: {'resigned', ended}
-- @include clock
-- @include task_waiters
-- @include backlog_waiters
-- @include claims
local now = clock()
end_leases(now)
local ended = 0
for _, held in ipairs(redis.call('ZRANGE', K_holders, 0, -1)) do
  local reference = string.sub(held, 1, -#A_holder - 2)
  -- Where names only look alike, what is left of it is no reference.
  if held == reference .. ' ' .. A_holder and redis.call('ZREM', K_claims, reference) == 1 then
    redis.call('ZREM', K_holders, held)
    ended = ended + 1
  end
end
redis.call('ZADD', K_holders, now + tonumber(A_life), ' ' .. A_holder)
if ended > 0 then tell_watchers(redis.call('HGET', K_tenant, 'watch')) end
return {'resigned', ended}
