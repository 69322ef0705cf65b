#!lua flags=allow-oom
-- SETTLE: ends a task with what its program ended with.
-- Returns: {'settled', next}: next is the job to add, as "number list", or ''; {'stale'} when the fence has moved, or {'parent', parent}
--          for a step of a workflow whose record was not given: nothing was written
-- Transitions: task working -> completed, task input_required -> completed, task working -> failed,
--              task input_required -> failed, interaction pending -> cancelled
local fence, waits, principal, events, waiters, queue, program, bytes, parent = unpack(redis.call(
  'HMGET', K_task, F_fence, F_waits, F_principal, F_events, F_waiters, F_queue, F_program, F_bytes, F_parent))
if fence ~= A_fence then return {'stale'} end
local elsewhere = refusal_without_parent(parent)
if elsewhere then return elsewhere end
local task = {
  fence = fence, waits = waits, principal = principal, events = events, waiters = waiters, queue = queue, program = program,
  bytes = bytes, parent = parent,
}
return {'settled', end_task(task, clock(), A_status, A_payload, 'cancelled')}
