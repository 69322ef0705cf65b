#!lua
-- OPEN: PARK of a task's first segment. Creates the task with its journal so far and its first waits.
-- KEYS: credential tenant task idempotency tasks pending deadlines due ready held jobs outstanding workers listeners
-- ARGV: digest principal scopes need bytes floor member ref operation input arguments gone life keep journal opens ready ...
--       gone: a task that the idempotency key may still name although it is gone; keep: how long the records live at most
--       journal × (path, entry), then opens × (kind, path, ms until due, body); ready 1: there is work for a worker at once
-- Returns: {'opened', next, createdAt}: next is the job to add, as "number list", or ''; {'exists', ref} for a repeat under the same idempotency key, {'idempotency_conflict', ref},
--          {'limit_pending', limit, most}, {'limit_size', limit, bytes, most, path, principal, scopes} of a request that is too
--          large, or a refusal of ADMIT
-- Repeating it with the same task key changes nothing.
-- @include clock
-- @include admission
-- @include deferred_writes
-- @include waits
-- @include open_waits
-- @include ready_queue
-- @include task_deadline
-- @include task_waiters
-- @include backlog_waiters
-- @include change_feed
local now = clock()
local refusal, principal, scopes, limits = admit(now, 'pendingInteractions', 'openTasks', 'delegatedRequestBytes', 'open', 'watch')
if refusal then return refusal end

if A_arguments ~= '' then
  local known = redis.call('HMGET', K_idempotency, 'ref', 'arguments')
  if known[1] and known[1] ~= A_gone then
    if known[2] ~= A_arguments then return {'idempotency_conflict', known[1]} end
    return {'exists', known[1]}
  end
end
local journal, waits = tonumber(A_journal), tonumber(A_opens)
local first = #ARGV - waits * 4 + 1
-- A sleep waits for nobody.
local asked = 0
for at = first, #ARGV, 4 do
  if ARGV[at] ~= 'sleep' then asked = asked + 1 end
end
local function refusal_of()
  cache[K_pending] = cache[K_pending] or redis.call('ZCARD', K_pending)
  if asked > 0 and cache[K_pending] + asked > tonumber(limits[1]) then
    return {'limit_pending', 'pendingInteractions', limits[1]}
  end
  if tonumber(limits[4] or 0) >= tonumber(limits[2]) then return {'limit_pending', 'openTasks', limits[2]} end
  local large = oversized(first, waits, limits[3])
  -- Its caller comes again with the rest, and has been admitted.
  if large then large[6], large[7] = principal, scopes end
  return large
end
local refused = refusal_of()
-- In the index stands what was opened before, by a command whose reply was lost.
if refused or redis.call('ZADD', K_tasks, 'NX', now, A_ref .. '|' .. principal) == 0 then
  local opened_at = redis.call('HGET', K_task, 'at')
  if opened_at then return {'opened', '', opened_at} end
  if refused then return refused end
end

local expires = now + tonumber(A_life)
local opens = {}
-- What is left out costs nothing: 'up' is 'at' until something changes, 'ev' and 'fe' are 0.
local fields = {'pr', principal, 'op', A_operation, 'in', A_input, 'at', now, 'ex', expires}
for at = first - journal * 2, first - 1, 2 do put(fields, 'j:' .. ARGV[at], ARGV[at + 1]) end
open_waits({principal = principal, expires = expires, opens = opens, opened = 0}, now, first, waits, fields)
put(fields, 'st', status_of(opens))
put(fields, 'open', format_opens(opens))
if A_ready == '1' then put(fields, 'q', 'ready') end
send('HSET', K_task, fields)
redis.call('PEXPIRE', K_task, A_keep)
local open = (limits[4] or 0) + 1
count_open(1)
limits[4], cache[K_pending] = open, cache[K_pending] + asked
set_deadline(first_due(opens, expires))
-- A trim at each open would cost more than it takes out: one in 64 does it, and each that opens the only open task,
-- since a tenant with few calls may never meet the other. What is gone may stand in the index for as long.
if open == 1 or now % 64 == 0 then redis.call('ZREMRANGEBYSCORE', K_tasks, '-inf', now - tonumber(A_keep)) end
if A_arguments ~= '' then
  redis.call('HSET', K_idempotency, 'ref', A_ref, 'arguments', A_arguments)
  redis.call('PEXPIRE', K_idempotency, A_keep)
end
if asked > 0 then
  tell_watchers(limits[5])
  limits[5] = false
end
announce_task(principal, true)
return {'opened', A_ready == '1' and enqueue(now) or '', string.format('%d', now)}
