#!lua
-- PARK: ends a segment that awaits something: records what it did, opens what it awaits, leaves its job's batch.
-- KEYS: tenant task pending deadlines due ready held jobs outstanding workers listeners
-- ARGV: fence member ref seen journal drops opens ...
--       journal × (path, entry), drops × path, opens × (kind, path, ms until due, body)
-- Returns: {'parked', next}: next is the job to add, as "number list", or ''; {'again', event} when an event came that
--          this segment has not seen (the task stays in the batch);
--          {'stale'} when the fence has moved, {'limit_size', limit, bytes, most, path} of a request that is too large:
--          nothing was written
-- @include clock
-- @include deferred_writes
-- @include ready_queue
-- @include task_deadline
-- @include waits
-- @include open_waits
-- @include task_waiters
-- @include backlog_waiters
-- @include change_feed
local task = redis.call('HMGET', K_task, 'fe', 'open', 'ex', 'ev', 'pr', 'sq', 'w', 'q')
if task[1] ~= A_fence then return {'stale'} end
local now = clock()
local journal, drops, waits = tonumber(A_journal), tonumber(A_drops), tonumber(A_opens)
local tenant = {}
if waits > 0 then
  tenant = redis.call('HMGET', K_tenant, 'delegatedRequestBytes', 'watch')
  local large = oversized(#ARGV - waits * 4 + 1, waits, tenant[1])
  if large then return large end
end
-- The segment is over: what its holder sends again after a lost reply must not open its waits a second time.
local event = task[4] or '0'
local again = event ~= A_seen
local fields = {'fe', A_fence + 1, 'up', now, 'se', A_seen, 'tr', 0}
if not again then
  put(fields, 'q', '')
  if task[7] and task[7] ~= '' then put(fields, 'w', '') end
end
local at = A_rest
for _ = 1, journal do
  put(fields, 'j:' .. ARGV[at], ARGV[at + 1])
  at = at + 2
end
local dropped = {}
for _ = 1, drops do
  dropped[#dropped + 1] = 'j:' .. ARGV[at]
  at = at + 1
end
local opens, expires = parse_opens(task[2]), tonumber(task[3])
local standing = {principal = task[5], expires = expires, opens = opens, opened = tonumber(task[6] or 0)}
open_waits(standing, now, at, waits, fields)
local status = status_of(opens)
put(fields, 'open', format_opens(opens))
put(fields, 'st', status)
send('HSET', K_task, fields)
send('HDEL', K_task, dropped)
set_deadline(first_due(opens, expires))
if standing.opened > tonumber(task[6] or 0) then tell_watchers(tenant[2]) end
announce_task(task[5], standing.opened > tonumber(task[6] or 0))
if again then return {'again', event} end
notify(task[7], A_member, A_seen, status, '')
return {'parked', leave_queue(task[8], '', now)}
