#!lua flags=allow-oom
-- START_ANSWER_TIME: an interaction with a limit of its own from when it is shown: it is due so many ms from now, unless it is due
-- earlier. So the first time it is shown counts.
-- Returns: {'due', due}, {'closed'} when it is not pending
local open, expires_at = unpack(redis.call('HMGET', K_task, F_waits, F_expires_at))
local waits = parse_waits(open)
local wait = find_interaction(waits, A_number)
if not wait then return {'closed'} end
if start_answer_time(wait, tonumber(A_within), clock()) then
  redis.call('HSET', K_task, F_waits, format_waits(waits))
  set_deadline(first_deadline(waits, tonumber(expires_at)))
end
return {'due', string.format('%d', wait.due)}
