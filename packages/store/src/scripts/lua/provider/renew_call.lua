#!lua flags=allow-oom
-- RENEW_CALL: a worker goes on with a call to an LLM endpoint.
-- Arguments: held: when the lease ends that the worker was given
-- Returns: {'renewed', until}; {'lost'} where nobody waits for the call any more, or another worker has it
local now = clock()
local call = A_ref .. '.' .. A_number
local held_until = tonumber(redis.call('ZSCORE', K_calls, call) or 0)
local wait = find_interaction(parse_waits(redis.call('HGET', K_task, F_waits)), A_number)
if not wait or wait.due <= now or held_until ~= tonumber(A_held) then return {'lost'} end
local lease_end = string.format('%d', now + A_lease)
redis.call('ZADD', K_calls, lease_end, call)
return {'renewed', lease_end}
