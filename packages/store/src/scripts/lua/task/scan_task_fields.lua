#!lua flags=allow-oom
-- SCAN_TASK_FIELDS: the fields of a task but those of its interactions, in pages.
-- Arguments: cursor: 0 for the first page
-- Returns: {'task_not_found'}, or {'ok', next, field, value, ...}: next is the cursor of the next page, 0 at the end. A field may
--          come twice
if not visible_owner(A_principal, A_scopes) then return {'task_not_found'} end
local reply = {'ok', '0'}
reply[2] = scan_task_fields(K_task, A_cursor, reply)
return reply
