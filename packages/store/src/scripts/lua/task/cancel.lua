#!lua flags=allow-oom
-- CANCEL: ends a task because someone asked, or takes back one interaction of it (number not 0).
-- Returns: {'cancelled', next, unanswered, program}: next is the job to add, as "number list", or ''; unanswered: see
--          unanswered_waits.lua; program '' of an interaction; {'task_not_found'}, {'insufficient_scope', need}, {'task_ended', status},
--          {'interaction_not_found'}, {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}, {'parent', parent} for a step of a
--          workflow whose record was not given
-- Transitions: task working -> cancelled, task input_required -> cancelled, task input_required -> working,
--              interaction pending -> cancelled
local owner, refusal = owner_to_end(A_principal, A_scopes, 'admin', 'task_not_found')
if not owner then return refusal end
local task, answered, ended = read_task_to_end(F_answered .. A_number, F_ended .. A_number)
local now = clock()
if A_number == '0' then
  if has_ended(task.status) then return {'task_ended', task.status} end
  local elsewhere = refusal_without_parent(task.parent)
  if elsewhere then return elsewhere end
  local unanswered = describe_unanswered(task.traceparent, parse_waits(task.waits), now)
  return {'cancelled', end_task(task, now, 'cancelled', A_payload, 'cancelled'), unanswered, task.program}
end

local closed = refusal_of_closed(answered, ended)
if closed then return closed end
local waits = parse_waits(task.waits)
local wait, place = find_interaction(waits, A_number)
if not wait then return {'interaction_not_found'} end
table.remove(waits, place)
local reference = A_ref .. '.' .. A_number .. '|' .. owner
redis.call('ZREM', K_pending, reference)
redis.call('ZREM', K_claims, reference)
local entry, cancelled = journal_kind(wait) .. '-' .. A_payload, string.format('cancelled;%d', now)
local bytes_now = add_bytes(task.bytes, #entry + W_journal + #cancelled + W_ended)
local fields = {F_bytes, bytes_now, F_journal .. wait.path, entry, F_ended .. A_number, cancelled}
local next_job = add_events(1, fields, waits, task.events, task.queue, now)
publish_task_change(owner, true)
local calls = wait.kind == 'provider' and {A_ref .. '.' .. A_number} or {}
return {'cancelled', join_jobs(next_job, drop_calls(now, calls)), describe_unanswered(task.traceparent, {wait}, now), ''}
