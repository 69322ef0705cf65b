-- Who has claimed which pending interaction, and until when: claims says that it is claimed, holders by whom. A claim
-- hides from other claims, never from ACCEPT, and is its holder's until its lease ends: nobody else renews or ends it.
-- What ends with its interaction goes from claims with it, and from holders when its lease is over.
local function end_leases(now)
  redis.call('ZREMRANGEBYSCORE', K_claims, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', K_holders, '-inf', now)
end

local function hold(reference, holder, lease_end)
  redis.call('ZADD', K_claims, lease_end, reference)
  redis.call('ZADD', K_holders, lease_end, reference .. ' ' .. holder)
end
