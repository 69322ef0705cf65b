#!lua flags=allow-oom
-- RELEASE_HOLDER: ends claims of a holder, and keeps FETCH_OR_CLAIM_INTERACTIONS from giving it new ones for a while: a call of
-- the holder may still be under way.
-- Arguments: topic: the name of the wait for work; life: ms for which the holder gets no claims; limit: how many claims are ended
-- at most
-- Returns: {'released', ended, left}: left 1: the holder has more claims, so repeat
local now, limit = clock(), tonumber(A_limit)
redis.call('ZREM', K_holder, RELEASED)
local held = redis.call('ZPOPMAX', K_holder, limit)
local ended = 0
for at = 1, #held, 2 do
  -- What was claimed for longer than its lease may be another's by now.
  if tonumber(held[at + 1]) > now then ended = ended + redis.call('ZREM', K_claims, held[at]) end
end
redis.call('ZADD', K_holder, now + tonumber(A_life), RELEASED)
expire_with_last_lease(K_holder)
if ended > 0 then notify_pending_list_waiters(redis.call('HGET', K_tenant, 'watch')) end
return {'released', ended, #held == limit * 2 and 1 or 0}
