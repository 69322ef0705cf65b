#!lua
-- RECORD_STEP: writes the outcome of a workflow's effect into its task's journal. The first outcome counts.
-- KEYS: tenant task activeChangeChannel
-- ARGV: principal scopes topic path entry
-- Returns: {'recorded'}, {'exists', entry}, {'task_not_found'}, {'task_ended', status}, {'limit_storage', limit, most, used}
-- @include clock
-- @include visibility
-- @include deferred_writes
-- @include storage
-- @include tenant_limits
-- @include task_status
-- @include change_feed
local owner = visible_owner(A_principal, A_scopes)
if not owner then return {'task_not_found'} end
local status, bytes, entry = unpack(redis.call('HMGET', K_task, F_status, F_bytes, F_journal .. A_path))
if has_ended(status) then return {'task_ended', status} end
if entry then return {'exists', entry} end
local grown = #A_entry + W_journal
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, grown, true)
if refused then return refused end
local fields = {F_journal .. A_path, A_entry, F_updated_at, clock()}
local bytes_now = add_bytes(bytes, grown)
if bytes_now then add_pair(fields, F_bytes, bytes_now) end
write_all('HSET', K_task, fields)
publish_task_change(owner, false)
return {'recorded'}
