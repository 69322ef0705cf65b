#!lua flags=allow-oom
-- EXTEND: gives a pending interaction another deadline, counted from now, never past its task's.
-- KEYS: task deadlines due listeners
-- ARGV: principal scopes member ref number life
-- Returns: {'extended', due}, {'interaction_not_found'}, {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}
-- @include clock
-- @include deferred_writes
-- @include ready_queue
-- @include task_deadline
-- @include waits
-- @include change_feed
local task = redis.call('HMGET', K_task, 'pr', 'open', 'ex', 'g' .. A_number, 'x' .. A_number)
local may = task[1] and (task[1] == A_principal or string.find(A_scopes, ' agent ', 1, true))
if not may then return {'interaction_not_found'} end
if task[4] then return {'interaction_already_answered'} end
if task[5] then return {'interaction_' .. string.match(task[5], '^[^;]+')} end
local now = clock()
local opens = parse_opens(task[2])
for _, open in ipairs(opens) do
  if open.number == tonumber(A_number) then
    if open.due <= now then return {'interaction_expired'} end
    open.due = math.min(now + tonumber(A_life), tonumber(task[3]))
    redis.call('HSET', K_task, 'open', format_opens(opens), 'up', now)
    set_deadline(first_due(opens, tonumber(task[3])))
    announce_task(task[1], false)
    return {'extended', string.format('%d', open.due)}
  end
end
return {'interaction_not_found'}
