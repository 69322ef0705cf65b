#!lua flags=allow-oom
-- READ_INTERACTION: an interaction in whatever status, with its request.
-- KEYS: task past
-- ARGV: principal scopes number
-- Returns: {'interaction_not_found'}, or {'ok', {program, principal, waits, answered, ended, request}}: the last is false
--          where the task never opened it
-- @include visibility
if not visible_owner(A_principal, A_scopes) then return {'interaction_not_found'} end
local interaction = redis.call(
  'HMGET', K_task, F_program, F_principal, F_waits, F_answered .. A_number, F_ended .. A_number, F_request .. A_number)
if not interaction[6] then interaction[6] = redis.call('HGET', K_past, F_request .. A_number) end
return {'ok', interaction}
