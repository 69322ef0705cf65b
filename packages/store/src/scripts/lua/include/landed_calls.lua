-- A call that landed is known, by its attempt or its idempotency key, for so many ms, which is longer than a client sends an attempt
-- again, and so many of these are.
local KEEP_LANDED, MOST_LANDED = 60000, 10000

local function has_landed(name)
  return redis.call('ZSCORE', K_landed, name)
end

local function remember_landed(now, name)
  redis.call('ZADD', K_landed, now, name)
  trim(K_landed, now - KEEP_LANDED)
  redis.call('ZREMRANGEBYRANK', K_landed, 0, -MOST_LANDED - 1)
  redis.call('PEXPIRE', K_landed, KEEP_LANDED)
end
