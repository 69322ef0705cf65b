#!lua flags=allow-oom
-- CANCEL: ends a task because someone asked, or takes back one interaction of it (number not 0).
-- KEYS: tenant task pending claims deadlines due ready held jobs outstanding workers listeners
-- ARGV: principal scopes member ref number payload retention
-- Returns: {'cancelled', next}: next is the job to add, as "number list", or ''; {'task_not_found'}, {'task_ended', status}, {'interaction_not_found'},
--          {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}
-- @include clock
-- @include deferred_writes
-- @include waits
-- @include ready_queue
-- @include task_waiters
-- @include change_feed
-- @include end_task
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w', 'q', 'op', 'st', 'g' .. A_number, 'x' .. A_number)
local may = task[3] and (task[3] == A_principal or string.find(A_scopes, ' agent ', 1, true))
if not may then return {'task_not_found'} end
local now = clock()
if A_number == '0' then
  if task[8] == 'completed' or task[8] == 'failed' or task[8] == 'cancelled' then return {'task_ended', task[8]} end
  return {'cancelled', finish(task, now, 'cancelled', A_payload, 'cancelled')}
end
if task[9] then return {'interaction_already_answered'} end
if task[10] then return {'interaction_' .. string.match(task[10], '^[^;]+')} end
local opens = parse_opens(task[2])
for index, open in ipairs(opens) do
  if open.number == tonumber(A_number) then
    table.remove(opens, index)
    local reference = A_ref .. '.' .. A_number .. '|' .. task[3]
    redis.call('ZREM', K_pending, reference)
    redis.call('ZREM', K_claims, reference)
    local queued = task[6] and task[6] ~= ''
    redis.call('HSET', K_task, 'j:' .. open.path, open.kind .. '-' .. A_payload, 'x' .. A_number,
      string.format('cancelled;%d', now), 'open', format_opens(opens), 'st', status_of(opens), 'up', now,
      'ev', (task[4] or 0) + 1, 'q', queued and task[6] or 'ready')
    announce_task(task[3], true)
    return {'cancelled', queued and '' or enqueue(now)}
  end
end
return {'interaction_not_found'}
