#!lua
-- COMPLETE_WORKFLOW: ends a workflow's task with its result: what the server's run ends with, or what its client says it came to.
-- Arguments: endingScope: the scope with which another's task may be ended; operation: of workflows
-- Returns: {'completed', next}: next is the job to add, as "number list", or ''; {'task_not_found'}, {'insufficient_scope', endingScope}, {'task_ended', status},
--          {'task_not_workflow', operation}, {'limit_storage', limit, most, used}
-- Transitions: task working -> completed
local owner, refusal = owner_to_end(A_principal, A_scopes, A_endingScope, 'task_not_found')
if not owner then return refusal end
local task = read_task_to_end()
-- The end of a workflow is told to no other task.
task.parent = nil
if has_ended(task.status) then return {'task_ended', task.status} end
local operation = string.match(task.program, '^%S+')
if operation ~= A_operation then return {'task_not_workflow', operation} end
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, #A_payload, true)
if refused then return refused end
return {'completed', end_task(task, clock(), 'completed', A_payload, 'cancelled')}
