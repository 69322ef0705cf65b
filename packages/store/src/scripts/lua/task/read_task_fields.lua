#!lua flags=allow-oom
-- READ_TASK_FIELDS: all fields of a task but those of its interactions.
-- KEYS: task
-- ARGV: principal scopes
-- Returns: {'task_not_found'}, or {'ok', field, value, ...}
-- @include visibility
-- @include task_fields
if not visible_owner(A_principal, A_scopes) then return {'task_not_found'} end
local reply = {'ok'}
read_task_fields(K_task, reply)
return reply
