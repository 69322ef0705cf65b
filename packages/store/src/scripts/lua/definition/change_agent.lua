#!lua flags=allow-oom
-- CHANGE_AGENT: enables or disables an agent, or makes it the primary in the place of the one that was. Its versions stay.
-- Arguments: enabled: 0, 1, or '' for as it is; primary: 1, or ''
-- Returns: {'changed'}, {'unchanged'}, {'agent_not_found'}, {'agent_is_primary', why}, or a refusal of RECHECK
local refusal = recheck_admission(clock())
if refusal then return refusal end
local entry = read_entry()
if not entry then return {'agent_not_found'} end
local enabled = entry.enabled
if A_enabled ~= '' then enabled = A_enabled == '1' end
local was_primary = primary_agent() == A_name
local is_primary = was_primary or A_primary == '1'
if is_primary and not enabled then return {'agent_is_primary', was_primary and 'disabled' or 'promoted'} end
if enabled == entry.enabled and is_primary == was_primary then return {'unchanged'} end
entry.enabled = enabled
write_entry(entry)
if is_primary then redis.call('HSET', K_tenant, 'primaryAgent', A_name) end
count_agent_change()
publish_definition_change(true)
return {'changed'}
