#!lua flags=allow-oom
-- SETTLE: ends a task with what its program ended with.
-- Returns: {'settled', next}: next is the job to add, as "number list", or ''; {'stale'} when the fence has moved, or {'parent', parent}
--          for a step of a workflow whose record was not given: nothing was written
-- Transitions: task working -> completed, task input_required -> completed, task working -> failed,
--              task input_required -> failed, interaction pending -> cancelled
local task = read_task_to_end()
if task.fence ~= A_fence then return {'stale'} end
local elsewhere = refusal_without_parent(task.parent)
if elsewhere then return elsewhere end
return {'settled', end_task(task, clock(), A_status, A_payload, 'cancelled')}
