#!lua flags=allow-oom
-- EXTEND_INTERACTION: gives a pending interaction another deadline, counted from now, never past its task's, and never an earlier one
-- to a request that the caller may not take back.
-- Returns: {'extended', due}, {'interaction_not_found'}, {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}
local owner = visible_owner(A_principal, A_scopes)
if not owner then return {'interaction_not_found'} end
local open, expires_at, answered, ended = unpack(redis.call(
  'HMGET', K_task, F_waits, F_expires_at, F_answered .. A_number, F_ended .. A_number))
local closed = refusal_of_closed(answered, ended)
if closed then return closed end
local now = clock()
local waits = parse_waits(open)
local wait = find_interaction(waits, A_number)
if not wait then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end

local earliest = owner_to_end(A_principal, A_scopes, 'admin', '') and 0 or wait.due
wait.due = math.max(earliest, math.min(now + tonumber(A_life), tonumber(expires_at)))
redis.call('HSET', K_task, F_waits, format_waits(waits), F_updated_at, now)
set_deadline(first_deadline(waits, tonumber(expires_at)))
publish_task_change(owner, false)
return {'extended', string.format('%d', wait.due)}
