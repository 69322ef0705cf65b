#!lua flags=allow-oom
-- EXPIRE: gives a task what has fallen due by Redis's clock: its own deadline, an interaction's, a sleep's end, the
-- end of a pause after a failed segment. Called for what SWEEP found; early or repeated calls change nothing.
-- KEYS: tenant task pending claims deadlines ready turns shifts leased listeners
-- ARGV: member ref expired taskExpired retention
-- Returns: {'gone'}, {'ended'}, {'due', ready} or {'early'}
-- @include clock
-- @include batch
-- @include opens
-- @include turns
-- @include notify
-- @include announce
-- @include finish
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w', 'st', 'ex', 'wk')
if not task[6] or task[6] == 'completed' or task[6] == 'failed' or task[6] == 'cancelled' then
  redis.call('ZREM', K_deadlines, A_member)
  return {'gone'}
end
local now = clock()
local expires = tonumber(task[7])
if expires <= now then
  finish(task, now, 'failed', A_taskExpired, 'expired')
  return {'ended'}
end

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
local next_due = first_due(rest, expires)
local wake = tonumber(task[8] or 0)
if wake > now and wake < next_due then next_due = wake end
redis.call('ZADD', K_deadlines, next_due, A_member)
if due > 0 then
  put(fields, 'open', format_opens(rest))
  put(fields, 'st', status_of(rest))
  put(fields, 'up', now)
  put(fields, 'ev', (task[4] or 0) + due)
  send('HSET', K_task, fields)
  send('ZREM', K_pending, references)
  send('ZREM', K_claims, references)
  announce_task(task[3], #references > 0)
end
local awake = wake > 0 and wake <= now
if awake then redis.call('HDEL', K_task, 'wk') end
if due == 0 and not awake then return {'early'} end
if redis.call('ZSCORE', K_leased, A_member) then return {'due', 0} end
return {'due', enqueue(A_member, now)}
