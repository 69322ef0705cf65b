#!lua
-- COMPLETE_WORKFLOW: ends a workflow's task with its result: what the server's run ends with, or what its client says it came to.
-- Arguments: endingScope: the scope with which another's task may be ended; operation: of workflows
-- Returns: {'completed', next}: next is the job to add, as "number list", or ''; {'task_not_found'}, {'insufficient_scope', endingScope}, {'task_ended', status},
--          {'task_not_workflow', operation}, {'limit_storage', limit, most, used}
-- Transitions: task working -> completed
local owner, refusal = owner_to_end(A_principal, A_scopes, A_endingScope, 'task_not_found')
if not owner then return refusal end
local fence, open, events, waiters, queue, program, status, bytes = unpack(redis.call(
  'HMGET', K_task, F_fence, F_waits, F_events, F_waiters, F_queue, F_program, F_status, F_bytes))
if has_ended(status) then return {'task_ended', status} end
local operation = string.match(program, '^%S+')
if operation ~= A_operation then return {'task_not_workflow', operation} end
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, #A_payload, true)
if refused then return refused end
local task = {
  fence = fence, waits = open, principal = owner, events = events, waiters = waiters, queue = queue, program = program,
  bytes = bytes,
}
return {'completed', end_task(task, clock(), 'completed', A_payload, 'cancelled')}
