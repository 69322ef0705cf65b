-- The outcomes that are kept of one tenant, in number and in bytes; the oldest leave. The newest stays, whatever its size.
local MOST_OUTCOMES, MOST_OUTCOME_BYTES = 1000, 4194304

-- What is to be told of a call whose idempotency key was used before: {'replayed', outcome}, {'idempotency_conflict'} for other
-- arguments, {'idempotency_conflict', 'landed'} where its outcome has left, or nil.
local function replay_of_outcome()
  if A_key == '' then return end
  local kept = redis.call('HGET', K_outcomes, A_key)
  if not kept then return has_landed(A_key) and {'idempotency_conflict', 'landed'} or nil end
  local arguments, outcome = string.match(kept, '^(%S+) (.*)$')
  if arguments ~= A_arguments then return {'idempotency_conflict'} end
  return {'replayed', outcome}
end

local function forget_outcomes(keys)
  for _, key in ipairs(keys) do
    redis.call('HINCRBY', K_outcomes, 'bytes', -redis.call('HSTRLEN', K_outcomes, key))
    redis.call('HDEL', K_outcomes, key)
    redis.call('ZREM', K_outcomeTimes, key)
  end
end

-- Keeps the outcome of a call under its idempotency key for A_keep ms, and lets go of what is older or too much.
local function keep_outcome(now)
  if A_key == '' then return end
  remember_landed(now, A_key)
  local kept = A_arguments .. ' ' .. A_outcome
  redis.call('HSET', K_outcomes, A_key, kept)
  redis.call('ZADD', K_outcomeTimes, now, A_key)
  local bytes = redis.call('HINCRBY', K_outcomes, 'bytes', #kept)
  forget_outcomes(redis.call('ZRANGEBYSCORE', K_outcomeTimes, '-inf', now - A_keep, 'LIMIT', 0, 20))
  local count = redis.call('ZCARD', K_outcomeTimes)
  while count > 1 and (count > MOST_OUTCOMES or bytes > MOST_OUTCOME_BYTES) do
    forget_outcomes(redis.call('ZRANGE', K_outcomeTimes, 0, 0))
    count, bytes = count - 1, tonumber(redis.call('HGET', K_outcomes, 'bytes'))
  end
  redis.call('PEXPIRE', K_outcomes, A_keep)
  redis.call('PEXPIRE', K_outcomeTimes, A_keep)
end
