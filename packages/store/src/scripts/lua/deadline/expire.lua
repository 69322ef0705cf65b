#!lua flags=allow-oom
-- EXPIRE: gives a task what has fallen due by Redis's clock: its own deadline, an interaction's, a sleep's end. Called for
-- what SWEEP found; early or repeated calls change nothing.
-- KEYS: tenant task pending claims deadlines due ready held jobs outstanding workers listeners
-- ARGV: member ref expired taskExpired retention
-- Returns: {'gone', next}, {'ended', next}, {'due', next} or {'early'}: next is the job to add, as "number list", or ''
-- @include clock
-- @include deferred_writes
-- @include ready_queue
-- @include task_deadline
-- @include waits
-- @include task_waiters
-- @include change_feed
-- @include end_task
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w', 'q', 'op', 'st', 'ex')
local now = clock()
if not task[8] then
  -- Its record is gone before its time: what counted it gives its place back.
  if redis.call('ZREM', K_deadlines, A_ref) == 0 then return {'gone', ''} end
  count_open(-1)
  redis.call('ZREM', K_ready, A_ref)
  local from, references = 0, {}
  while true do
    local page = redis.call('ZRANGE', K_pending, from, from + 999)
    for _, reference in ipairs(page) do
      if string.sub(reference, 1, #A_ref + 1) == A_ref .. '.' then references[#references + 1] = reference end
    end
    if #page < 1000 then break end
    from = from + 1000
  end
  send('ZREM', K_pending, references)
  send('ZREM', K_claims, references)
  return {'gone', ''}
end
if task[8] == 'completed' or task[8] == 'failed' or task[8] == 'cancelled' then
  redis.call('ZREM', K_deadlines, A_ref)
  return {'gone', ''}
end
local expires = tonumber(task[9])
if expires <= now then return {'ended', finish(task, now, 'failed', A_taskExpired, 'expired')} end

local rest, due, fields, references = {}, 0, {}, {}
for _, open in ipairs(parse_opens(task[2])) do
  if open.due > now then
    rest[#rest + 1] = open
  else
    due = due + 1
    put(fields, 'j:' .. open.path, open.kind == 'sleep' and 'sleep+null' or open.kind .. '-' .. A_expired)
    if open.number > 0 then
      references[#references + 1] = A_ref .. '.' .. open.number .. '|' .. task[3]
      put(fields, 'x' .. open.number, string.format('expired;%d', now))
    end
  end
end
set_deadline(first_due(rest, expires))
if due == 0 then return {'early'} end
local queued = task[6] and task[6] ~= ''
put(fields, 'open', format_opens(rest))
put(fields, 'st', status_of(rest))
put(fields, 'up', now)
put(fields, 'ev', (task[4] or 0) + due)
put(fields, 'q', queued and task[6] or 'ready')
send('HSET', K_task, fields)
send('ZREM', K_pending, references)
send('ZREM', K_claims, references)
announce_task(task[3], #references > 0)
return {'due', queued and '' or enqueue(now)}
