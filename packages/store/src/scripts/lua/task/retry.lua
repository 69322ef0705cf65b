#!lua
-- RETRY: has a task that failed go on, once for each failure: a worker takes its journal back (REWIND), and asks its last request
-- again.
-- Arguments: failedAt, retry: when the failure came that is meant, and what is kept of it and of who retries, as JSON, both empty for whoever
-- does not know it yet; runnable 0: workers live, and none has the program; workflow: what the task of a workflow is called; channel: the replica that waits for what
-- comes of it; keep: how long the records live at most; oldest: how many ms ago the task may have been opened
-- Returns: {'retried', event, next, parent, program, input}: next is the job to add, as "number list", or ''; parent is the ref of the workflow's task whose
--          step it was, which waits for it no more, with program and input of it, all three '' of any other; {'replayed', event} where the same caller has
--          retried it, and it has not ended since; {'failure', failedAt, outcome, program, idempotencyDigest} where failedAt
--          is another: nothing was written, and the caller comes again; {'task_not_found'}, {'insufficient_scope', need}, {'task_not_failed', status, by, at}: by and at of its last retry, or '';
--          {'task_not_retryable', reason}: reason is workflow, stripped or old;
--          {'program_unavailable', program}, {'limit_pending', limit, most}, {'limit_storage', limit, most, used}
-- Transitions: task failed -> working
-- So many of its retries stand in a record: the last ones.
local MOST_RETRIES = 20
local owner, refusal = owner_to_end(A_principal, A_scopes, 'admin', 'task_not_found')
if not owner then return refusal end
local status, program, input, created_at, updated_at, events, outcome, bytes, parent, waiters, retries, owned = unpack(redis.call(
  'HMGET', K_task, F_status, F_program, F_input, F_created_at, F_updated_at, F_events, F_outcome, F_bytes, F_parent, F_waiters,
  F_retries, F_idempotency))
local lines = {}
for line in string.gmatch(retries or '', '[^\n]+') do lines[#lines + 1] = line end
if status ~= 'failed' then
  local at, last = string.match(lines[#lines] or '', '^(%d+) (.*)$')
  local by = at and cjson.decode(last).by or ''
  if not has_ended(status) and by == A_principal then return {'replayed', events} end
  return {'task_not_failed', status, by, at or ''}
end
if string.match(program, '^%S+') == A_workflow then return {'task_not_retryable', 'workflow'} end
if not input then return {'task_not_retryable', 'stripped'} end
local now = clock()
if now - created_at > tonumber(A_oldest) then return {'task_not_retryable', 'old'} end
if updated_at ~= A_failedAt then return {'failure', updated_at, outcome, program, owned or ''} end
if A_runnable == '0' then return {'program_unavailable', program} end

local most_pending, most_open, open, most_bytes, stored = unpack(read_tenant(
  'pendingInteractions', 'openTasks', 'open', 'storedBytes', 'stored'))
if redis.call('ZCARD', K_pending) >= tonumber(most_pending) then
  return {'limit_pending', 'pendingInteractions', most_pending}
end
if tonumber(open or 0) >= tonumber(most_open) then return {'limit_pending', 'openTasks', most_open} end
lines[#lines + 1] = string.format('%d ', now) .. A_retry
if #lines > MOST_RETRIES then table.remove(lines, 1) end
local retries_now = table.concat(lines, '\n')
local refused = refusal_of_storage(most_bytes, stored, #retries_now)
if refused then return refused end

local expires_at, event = now + tonumber(A_life), (events or 0) + 1
local fields = {
  F_status, 'working', F_updated_at, now, F_expires_at, expires_at, F_events, event, F_tries, 0, F_queue, 'ready',
  F_retries, retries_now, F_rewind, 1,
}
-- It counts among what has ended no more.
local grown = #retries_now - #(retries or '') - #outcome
add_pair(fields, F_bytes, add_bytes(bytes, grown, -bytes))
local _, waiters_now = added_waiter(waiters, A_channel)
if waiters_now then add_pair(fields, F_waiters, waiters_now) end
write_all('HSET', K_task, fields)
-- Its workflow was told of the failure, and may have gone on: whoever retries it tells that of it anew.
redis.call('HDEL', K_task, F_outcome, F_parent)
redis.call('ZREM', K_retained, A_ref)
redis.call('ZADD', K_tasks, 'NX', created_at, A_ref .. '|' .. owner)
redis.call('PEXPIRE', K_task, A_keep)
redis.call('PEXPIRE', K_past, A_keep)
if owned then redis.call('PEXPIRE', K_idempotency, A_keep) end
defer_lifetime(K_tasks, A_keep)
count_for_tenant('open', 1)
set_deadline(expires_at)
publish_task_change(owner, true)
local step = parent and {string.match(parent, '^%S+'), program, input} or {'', '', ''}
return {'retried', event, enqueue_task(now), unpack(step)}
