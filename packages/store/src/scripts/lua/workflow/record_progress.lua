#!lua
-- RECORD_PROGRESS: writes a change of how a workflow stands, unless that has changed since it was read, and admits the call of the
-- next step.
-- Arguments: owner, ownerScopes: who changes it; need: the scopes that the next step's call asks for, or '' to admit none; link: the id of a task that a step has started, whose record is child, or ''; failed: the same of one that has failed, and was no step that was waited for, or ''; sets × (path, text), then the paths to delete
-- Returns: {'recorded'}, and behind it what ADMIT returns where a call is to be admitted; {'conflict'} when it has changed, {'child_ended', status, outcome} when the task of `link` has ended already,
--          {'task_not_found'}, {'task_ended', status}, {'limit_storage', limit, most, used}: nothing was written
-- From then on the end of that task is written into this one's record (end_task.lua), or a retry of it tells this one (retry.lua).
local owner = visible_owner(A_owner, A_ownerScopes)
if not owner then return {'task_not_found'} end
local status, bytes, revision = unpack(redis.call('HMGET', K_task, F_status, F_bytes, F_revision))
if has_ended(status) then return {'task_ended', status} end
if (revision or '0') ~= A_revision then return {'conflict'} end
local is_linked, link = false, A_link ~= '' and A_link or A_failed
if link ~= '' then
  local child_owner, child_status, outcome, parent = unpack(redis.call(
    'HMGET', K_child, F_principal, F_status, F_outcome, F_parent))
  local is_over = child_owner and has_ended(child_status)
  if is_over and A_link ~= '' then return {'child_ended', child_status, outcome} end
  -- The workflow that has started it keeps it.
  is_linked = not parent and may_see(child_owner, A_owner, A_ownerScopes) and (A_link ~= '' or child_status == 'failed')
end
local first_drop = A_rest + 2 * A_sets
local fields, dropped, grown = {F_revision, A_revision + 1, F_updated_at, clock()}, {}, 0
for at = A_rest, first_drop - 1, 2 do
  add_pair(fields, F_progress .. ARGV[at], ARGV[at + 1])
  grown = grown + #ARGV[at + 1] + W_progress - bytes_of_field(F_progress .. ARGV[at], W_progress)
end
for at = first_drop, #ARGV do
  dropped[#dropped + 1] = F_progress .. ARGV[at]
  grown = grown - bytes_of_field(F_progress .. ARGV[at], W_progress)
end
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, grown, true)
if refused then return refused end
add_pair(fields, F_bytes, add_bytes(bytes, grown))
write_all('HSET', K_task, fields)
write_all('HDEL', K_task, dropped)
if is_linked then redis.call('HSET', K_child, F_parent, A_ref .. ' ' .. link) end
publish_task_change(owner, false)
if A_need == '' then return {'recorded'} end
local refusal, principal, scopes, _, expires_in = admit(clock())
if refusal then return {'recorded', unpack(refusal)} end
return {'recorded', 'ok', principal, scopes, expires_in}
