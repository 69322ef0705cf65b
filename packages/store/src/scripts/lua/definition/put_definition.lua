#!lua
-- PUT_DEFINITION: stores a definition as the next version of its name, and drops the oldest beyond those that are kept. A tenant's
-- first agent is its primary; to make another one the primary is one write, and so there is always exactly one.
-- Arguments: limit: the tenant's limit of how many; summary: what lists show of it, or ''; enabled, primary: 0, 1, or '' for as it is;
-- revision: how often agents had changed when this one was checked against them, or ''; by: who stores it, as JSON;
-- public 1: of a prompt that is an MCP prompt too; kept: how many versions of each; expected: see refusal_of_etag; dryRun 1: nothing is written
-- Returns: {'stored', version, etag}; {'unchanged', version, etag} where all is as it was, whatever is expected;
--          {'definition_conflict', etag}; {'agents_conflict'} when agents have changed since `revision`;
--          {'agent_is_primary', why}; {'prompt_name_taken', kind} by a workflow or a public prompt; {'limit_storage', limit, most, used}; or a
--          refusal of RECHECK
-- A workflow and a public prompt of one name would be one MCP prompt.
local function taken_by()
  if A_kind == 'workflow' then return redis.call('SISMEMBER', K_publicPrompts, A_name) == 1 and 'public prompt' end
  return A_public == '1' and redis.call('HEXISTS', K_workflows, A_name) == 1 and 'workflow'
end

local now = clock()
local refusal = recheck_admission(now)
if refusal then return refusal end
local taken = taken_by()
if taken then return {'prompt_name_taken', taken} end
local before = read_entry()
local entry = {version = before and before.version or 0, enabled = true, summary = A_summary}
if before then entry.enabled = before.enabled end
if A_enabled ~= '' then entry.enabled = A_enabled == '1' end

local was_primary, is_primary = false, false
if A_kind == 'agent' then
  local primary = primary_agent()
  was_primary = primary == A_name
  is_primary = was_primary or not primary or A_primary == '1'
  if was_primary and A_primary == '0' then return {'agent_is_primary', 'demoted'} end
  if is_primary and not entry.enabled then return {'agent_is_primary', was_primary and 'disabled' or 'promoted'} end
end

local most = tonumber(read_tenant(A_limit)[1])
local used = redis.call('HLEN', K_definitions)
if not before and used >= most then return {'limit_storage', A_limit, tostring(most), tostring(used)} end
local same = before and redis.call('HGET', K_definition, before.version) == A_definition
local same_state = before and before.summary == entry.summary and before.enabled == entry.enabled and was_primary == is_primary
if same and same_state then return {'unchanged', entry.version, etag_of(before)} end
local conflict = refusal_of_etag(before)
if conflict then return conflict end
if A_revision ~= '' and A_revision ~= (read_tenant('agentChanges')[1] or '0') then return {'agents_conflict'} end

local grown = #entry.summary - (before and #before.summary or 0)
local by = string.format('%d;%s', now, A_by)
local oldest
if not same then
  entry.version = entry.version + 1
  oldest = entry.version - tonumber(A_kept)
  grown = grown + #A_definition + #by + W_definition_version - bytes_of_version(oldest)
end
local limit, stored = unpack(read_tenant('storedBytes', 'stored'))
local refused = refusal_of_storage(limit, stored, grown)
if refused then return refused end
if A_dryRun == '1' then return {'stored', entry.version, ''} end
count_definition_bytes(grown)
write_entry(entry)
if A_kind == 'prompt' then redis.call(A_public == '1' and 'SADD' or 'SREM', K_publicPrompts, A_name) end
if not same then
  redis.call('HSET', K_definition, entry.version, A_definition, entry.version .. ';by', by)
  redis.call('HDEL', K_definition, oldest, oldest .. ';by')
end
if is_primary and not was_primary then redis.call('HSET', K_tenant, 'primaryAgent', A_name) end
count_agent_change()
publish_definition_change(true)
return {'stored', entry.version, etag_of(entry)}
