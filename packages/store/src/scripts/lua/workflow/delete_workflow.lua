#!lua flags=allow-oom
-- DELETE_WORKFLOW: deletes a workflow with its versions. Tasks that it started have a copy of their own.
-- KEYS: credential tenant workflows workflow activeChangeChannel
-- ARGV: digest principal scopes need name
-- Returns: {'deleted'}, {'workflow_not_found'}, or a refusal of RECHECK
-- @include clock
-- @include credential
-- @include admission_recheck
-- @include deferred_writes
-- @include storage
-- @include workflow_storage
-- @include change_feed
local refusal = recheck_admission(clock())
if refusal then return refusal end
if redis.call('HDEL', K_workflows, A_name) == 0 then return {'workflow_not_found'} end
local freed = 0
for _, field in ipairs(redis.call('HKEYS', K_workflow)) do
  if string.find(field, '^%d+$') then freed = freed + bytes_of_version(field) end
end
redis.call('DEL', K_workflow)
count_workflow_bytes(-freed)
local channel = change_channel()
if channel then redis.call('PUBLISH', channel, cjson.encode({kind = 'workflow', workflow = A_name})) end
return {'deleted'}
