#!lua flags=allow-oom
-- END_SLEEP: ends the sleeps of a task early, as EXPIRE ends those that are due: what it waits for has come.
-- Returns: {'ended', next}: next is the job to add, as "number list", or ''; {'awake'} for a task that does not sleep
-- Transitions: task input_required -> working
local open, principal, events, queue, expires, bytes = unpack(redis.call(
  'HMGET', K_task, F_waits, F_principal, F_events, F_queue, F_expires_at, F_bytes))
local waits, fields, ended, grown = {}, {}, 0, 0
for _, wait in ipairs(parse_waits(open)) do
  if wait.number == 0 then
    ended = ended + 1
    add_pair(fields, F_journal .. wait.path, 'sleep+null')
    grown = grown + #'sleep+null' + W_journal
  else
    waits[#waits + 1] = wait
  end
end
if ended == 0 then return {'awake'} end
local now = clock()
add_pair(fields, F_bytes, add_bytes(bytes, grown))
local next_job = add_events(ended, fields, waits, events, queue, now)
set_deadline(first_deadline(waits, tonumber(expires)))
publish_task_change(principal, false)
return {'ended', next_job}
