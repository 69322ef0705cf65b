#!lua
-- OPEN: PARK of a task's first segment. Creates the task with its journal so far and its first waits.
-- Arguments: idempotencyDigest: the idempotency key, as its record's name has it; staleRef: a task that the idempotency key may still name although it is gone; keep: how long the records live at
-- most; project: that which the task is to change, '' for none: without room for it among the tenant's projects, or for so many bytes more (projectGrowth) in it, the call is refused; journal × (path, entry), then waits × (kind, path, ms until due, request, summary); ready 1: there is work
-- for a worker at once; traceparent: the request's span (W3C Trace Context), '' of one that is not traced; client: the name of the program that calls, '' where it gives none
-- Returns: {'opened', next, createdAt, principal, path, number, due, ...}: next is the jobs to add, as "number list" or
--          "ref.number call" each, with commas between them, or ''; the last three for each pending interaction; {'exists', ref, principal} for a repeat under the same idempotency key, {'idempotency_conflict', ref},
--          {'limit_pending', limit, most}, {'limit_storage', limit, most, used}, {'limit_size', limit, bytes, most, path, principal, scopes} of a request that is too
--          large, or a refusal of ADMIT
-- Transitions: task new -> input_required, task new -> working, interaction new -> pending
-- Repeating it with the same task key changes nothing.
local PENDING_LIMIT, TASK_LIMIT, REQUEST_BYTES, TASK_COUNT, PENDING_LIST_WAITERS, STORED_LIMIT, STORED = 1, 2, 3, 4, 5, 6, 7
local now = clock()
local refusal, principal, scopes, tenant = admit(
  now, 'pendingInteractions', 'openTasks', 'delegatedRequestBytes', 'open', 'watch', 'storedBytes', 'stored')
if refusal then return refusal end

if A_arguments ~= '' then
  local ref, arguments = unpack(redis.call('HMGET', K_idempotency, 'ref', 'arguments'))
  if ref and ref ~= A_staleRef then
    if arguments ~= A_arguments then return {'idempotency_conflict', ref} end
    return {'exists', ref, principal}
  end
end

local function reply_opened(job, created_at, waits)
  local reply = {'opened', job, created_at, principal}
  for _, wait in ipairs(waits) do
    if wait.number > 0 and wait.kind ~= 'provider' then
      reply[#reply + 1] = wait.path
      reply[#reply + 1] = wait.number
      reply[#reply + 1] = wait.due
    end
  end
  return reply
end

local journal, wait_count = tonumber(A_journal), tonumber(A_waits)
local first_wait = A_rest + journal * 2
-- A sleep waits for nobody, and a provider's call for no agent.
local interactions = 0
-- All that the caller sent: a little less than what is counted in the end.
local sent_bytes = W_task + #A_input
for at = A_rest, first_wait - 1 do sent_bytes = sent_bytes + #ARGV[at] end
for at = first_wait, #ARGV, WAIT_ARGS do
  if ARGV[at + 3] ~= '' and ARGV[at] ~= 'provider' then interactions = interactions + 1 end
  sent_bytes = sent_bytes + #ARGV[at + 3]
end
local function refusal_of_limits()
  cache[K_pending] = cache[K_pending] or redis.call('ZCARD', K_pending)
  -- What a worker begins asks for something once it runs, and no limit stops it there.
  local asked = math.max(interactions, A_ready == '1' and 1 or 0)
  if asked > 0 and cache[K_pending] + asked > tonumber(tenant[PENDING_LIMIT]) then
    return {'limit_pending', 'pendingInteractions', tenant[PENDING_LIMIT]}
  end
  if tonumber(tenant[TASK_COUNT] or 0) >= tonumber(tenant[TASK_LIMIT]) then
    return {'limit_pending', 'openTasks', tenant[TASK_LIMIT]}
  end
  local too_much = refusal_of_storage(tenant[STORED_LIMIT], tenant[STORED], sent_bytes)
  if too_much then return too_much end
  if A_project ~= '' then
    local use = redis.call('HGET', K_projectUse, A_project)
    local no_room = refusal_of_project_growth(use, tonumber(A_projectGrowth), unpack(read_tenant('projects', 'projectBytes')))
    if no_room then return no_room end
  end
  local oversized = refusal_of_oversized(first_wait, wait_count, tenant[REQUEST_BYTES])
  -- Its caller comes again with the rest, and has been admitted.
  if oversized then oversized[6], oversized[7] = principal, scopes end
  return oversized
end
local refused = refusal_of_limits()
-- In the index stands what was opened before, by a command whose reply was lost.
if refused or redis.call('ZADD', K_tasks, 'NX', now, A_ref .. '|' .. principal) == 0 then
  local created_at, open = unpack(redis.call('HMGET', K_task, F_created_at, F_waits))
  if created_at then return reply_opened('', created_at, parse_waits(open)) end
  if refused then return refused end
end

local expires_at = now + tonumber(A_life)
local task = {principal = principal, expires_at = expires_at, waits = {}, interactions_opened = 0}
-- Fields that may be absent are not written: they would cost each parked task memory.
local fields = {F_principal, principal, F_program, A_operation, F_input, A_input, F_created_at, now, F_expires_at, expires_at}
local bytes = W_task + #A_input + #A_client + add_waits(task, now, first_wait, wait_count, fields)
for at = A_rest, first_wait - 1, 2 do
  add_pair(fields, F_journal .. ARGV[at], ARGV[at + 1])
  bytes = bytes + #ARGV[at + 1] + W_journal
end
if A_arguments ~= '' then
  add_pair(fields, F_idempotency, A_idempotencyDigest)
  bytes = bytes + #A_idempotencyDigest + W_idempotency
end
add_pair(fields, F_bytes, add_bytes(0, bytes))
add_pair(fields, F_status, status_of(task.waits))
add_pair(fields, F_waits, format_waits(task.waits))
if A_traceparent ~= '' then add_pair(fields, F_traceparent, A_traceparent) end
if A_client ~= '' then add_pair(fields, F_client, A_client) end
if A_ready == '1' then add_pair(fields, F_queue, 'ready') end
write_all('HSET', K_task, fields)
redis.call('PEXPIRE', K_task, A_keep)
local task_count = (tenant[TASK_COUNT] or 0) + 1
count_for_tenant('open', 1)
tenant[TASK_COUNT], cache[K_pending] = task_count, cache[K_pending] + interactions
set_deadline(first_deadline(task.waits, expires_at))
-- The index lives as long as the records in it. A trim at each open would cost more than it takes out: one in 64 does it, and each
-- that opens the only open task, since a tenant with few calls may never meet the other.
defer_lifetime(K_tasks, A_keep)
if task_count == 1 or now % 64 == 0 then
  -- Much later than any task ends, which may be retried, and whose process may have had other settings: what is left of one that is gone.
  trim(K_tasks, now - 3 * A_keep)
  trim(K_pending, now - 3 * A_keep)
end
if A_arguments ~= '' then
  redis.call('HSET', K_idempotency, 'ref', A_ref, 'arguments', A_arguments)
  redis.call('PEXPIRE', K_idempotency, A_keep)
end
if interactions > 0 then
  notify_pending_list_waiters(tenant[PENDING_LIST_WAITERS])
  tenant[PENDING_LIST_WAITERS] = false
end
publish_task_change(principal, true)
local job = A_ready == '1' and enqueue_task(now) or ''
if task.calls then job = join_jobs(job, give_turns(now)) end
return reply_opened(job, string.format('%d', now), task.waits)
