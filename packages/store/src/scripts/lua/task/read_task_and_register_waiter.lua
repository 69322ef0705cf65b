#!lua flags=allow-oom
-- READ_TASK_AND_REGISTER_WAITER: a task's state, with the requests that it waits for; registers the replica that waits for a change.
-- KEYS: task
-- ARGV: principal scopes channel
-- Returns: {'task_not_found'} or {'ok', {status, principal, program, created_at, updated_at, expires_at, events_seen,
--          outcome}, number, due, request, ...} with the last three for each open interaction
-- @include visibility
-- @include waits
-- @include task_status
-- @include task_waiters
local task = redis.call(
  'HMGET', K_task, F_status, F_principal, F_program, F_created_at, F_updated_at, F_expires_at, F_events_seen, F_outcome,
  F_waits, F_waiters)
local waiters, open = table.remove(task), table.remove(task)
local status, owner = task[1], task[2]
if not may_see(owner, A_principal, A_scopes) then return {'task_not_found'} end
local reply = {'ok', task}
for _, wait in ipairs(parse_waits(open)) do
  if wait.number > 0 then
    reply[#reply + 1] = wait.number
    reply[#reply + 1] = string.format('%d', wait.due)
    reply[#reply + 1] = redis.call('HGET', K_task, F_request .. wait.number)
  end
end
if not has_ended(status) then
  local field, value = added_waiter(waiters, A_channel)
  if field then redis.call('HSET', K_task, F_waiters, value) end
end
return reply
