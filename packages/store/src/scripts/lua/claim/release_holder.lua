#!lua flags=allow-oom
-- RELEASE_HOLDER: ends every claim of a holder, and keeps FETCH_OR_CLAIM_INTERACTIONS from giving it new ones for a while: a call of
-- the holder may still be under way.
-- KEYS: tenant claims holders
-- ARGV: topic holder life
--       topic: the name of the wait for work; life: ms for which the holder gets no claims
-- Returns: {'released', ended}
-- @include clock
-- @include task_waiters
-- @include pending_list_waiters
-- @include claims
local now = clock()
drop_expired_claims(now)
local ended = 0
for _, held in ipairs(redis.call('ZRANGE', K_holders, 0, -1)) do
  local reference = string.sub(held, 1, -#A_holder - 2)
  -- Where another holder's name only ends alike, what is left of it is no reference.
  if held == reference .. ' ' .. A_holder and redis.call('ZREM', K_claims, reference) == 1 then
    redis.call('ZREM', K_holders, held)
    ended = ended + 1
  end
end
redis.call('ZADD', K_holders, now + tonumber(A_life), ' ' .. A_holder)
if ended > 0 then notify_pending_list_waiters(redis.call('HGET', K_tenant, 'watch')) end
return {'released', ended}
