#!lua flags=allow-oom
-- READ: how a task stands, with the requests that it waits for; registers the replica that will wait for a change.
-- KEYS: task
-- ARGV: principal scopes channel
-- Returns: {'task_not_found'} or {'ok', {st, pr, op, at, up, ex, se, rs}, number, due, body, ...} per open interaction
-- @include waits
-- @include task_waiters
local task = redis.call('HMGET', K_task, 'st', 'pr', 'op', 'at', 'up', 'ex', 'se', 'rs', 'open', 'w')
local waiters, opens = table.remove(task), table.remove(task)
local may = task[2] and (task[2] == A_principal or string.find(A_scopes, ' agent ', 1, true))
if not may then return {'task_not_found'} end
local reply = {'ok', task}
for _, open in ipairs(parse_opens(opens)) do
  if open.number > 0 then
    reply[#reply + 1] = open.number
    reply[#reply + 1] = string.format('%d', open.due)
    reply[#reply + 1] = redis.call('HGET', K_task, 'i' .. open.number)
  end
end
if task[1] == 'working' or task[1] == 'input_required' then register(waiters, A_channel) end
return reply
