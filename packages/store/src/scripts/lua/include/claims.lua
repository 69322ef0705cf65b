-- Who has claimed which pending interaction, and until when: K_claims says that it is claimed, K_holders by whom. A claim
-- hides from other claims, never from ACCEPT_ANSWER, and is its holder's until its lease ends: nobody else renews or ends it.
-- The end of an interaction takes it out of K_claims; K_holders forgets it when the lease is over.
local function drop_expired_claims(now)
  redis.call('ZREMRANGEBYSCORE', K_claims, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', K_holders, '-inf', now)
end

local function set_claim(reference, holder, lease_end)
  redis.call('ZADD', K_claims, lease_end, reference)
  redis.call('ZADD', K_holders, lease_end, reference .. ' ' .. holder)
end
