#!lua flags=allow-oom
-- CANCEL: ends a task because someone asked, or takes back one interaction of it (number not 0).
-- KEYS: tenant task pending claims deadlines ready turns shifts leased listeners
-- ARGV: principal scopes member ref number payload retention
-- Returns: {'cancelled', ready}, {'task_not_found'}, {'task_ended', status}, {'interaction_not_found'},
--          {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}
-- @include clock
-- @include batch
-- @include opens
-- @include turns
-- @include notify
-- @include announce
-- @include finish
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w', 'st', 'g' .. A_number, 'x' .. A_number)
local may = task[3] and (task[3] == A_principal or string.find(A_scopes, ' agent ', 1, true))
if not may then return {'task_not_found'} end
local now = clock()
if A_number == '0' then
  if task[6] == 'completed' or task[6] == 'failed' or task[6] == 'cancelled' then return {'task_ended', task[6]} end
  finish(task, now, 'cancelled', A_payload, 'cancelled')
  return {'cancelled', 0}
end
if task[7] then return {'interaction_already_answered'} end
if task[8] then return {'interaction_' .. string.match(task[8], '^[^;]+')} end
local opens = parse_opens(task[2])
for index, open in ipairs(opens) do
  if open.number == tonumber(A_number) then
    table.remove(opens, index)
    local reference = A_ref .. '.' .. A_number .. '|' .. task[3]
    redis.call('ZREM', K_pending, reference)
    redis.call('ZREM', K_claims, reference)
    redis.call('HSET', K_task, 'j:' .. open.path, open.kind .. '-' .. A_payload, 'x' .. A_number,
      string.format('cancelled;%d', now), 'open', format_opens(opens), 'st', status_of(opens), 'up', now,
      'ev', (task[4] or 0) + 1)
    announce_task(task[3], true)
    if redis.call('ZSCORE', K_leased, A_member) then return {'cancelled', 0} end
    return {'cancelled', enqueue(A_member, now)}
  end
end
return {'interaction_not_found'}
