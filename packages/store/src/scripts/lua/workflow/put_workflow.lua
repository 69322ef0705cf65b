#!lua
-- PUT_WORKFLOW: stores a workflow's definition as its next version, and drops the oldest beyond those that are kept.
-- KEYS: credential tenant workflows workflow activeChangeChannel
-- ARGV: digest principal scopes need name definition by kept
--       by: who stores it, as JSON; kept: how many versions of each
-- Returns: {'stored', version}; {'unchanged', version} where the newest version is the same; {'limit_storage', limit, most, used}; or a
--          refusal of RECHECK
-- @include clock
-- @include credential
-- @include admission_recheck
-- @include tenant_limits
-- @include deferred_writes
-- @include storage
-- @include workflow_storage
-- @include change_feed
local now = clock()
local refusal = recheck_admission(now)
if refusal then return refusal end
local newest = tonumber(redis.call('HGET', K_workflows, A_name) or 0)
local most, used = read_tenant('workflows')[1], redis.call('HLEN', K_workflows)
if newest == 0 and used >= tonumber(most) then return {'limit_storage', 'workflows', most, used} end
if redis.call('HGET', K_workflow, newest) == A_definition then return {'unchanged', newest} end
local version = newest + 1
local by = string.format('%d;%s', now, A_by)
local oldest = version - tonumber(A_kept)
local grown = #A_definition + #by + W_workflow_version - bytes_of_version(oldest)
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, grown)
if refused then return refused end
count_workflow_bytes(grown)
redis.call('HSET', K_workflows, A_name, version)
redis.call('HSET', K_workflow, version, A_definition, version .. ';by', by)
redis.call('HDEL', K_workflow, oldest, oldest .. ';by')
local channel = change_channel()
if channel then redis.call('PUBLISH', channel, cjson.encode({kind = 'workflow', workflow = A_name})) end
return {'stored', version}
