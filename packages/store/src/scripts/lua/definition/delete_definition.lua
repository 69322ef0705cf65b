#!lua flags=allow-oom
-- DELETE_DEFINITION: deletes a definition with its versions. Tasks that it started have a copy of their own.
-- Arguments: expected: see refusal_of_etag
-- Returns: {'deleted'}, {'<kind>_not_found'}, {'definition_conflict', etag}, {'agent_is_primary', 'deleted'}, or a refusal of RECHECK
local refusal = recheck_admission(clock())
if refusal then return refusal end
local entry = read_entry()
if not entry then return {A_kind .. '_not_found'} end
local conflict = refusal_of_etag(entry)
if conflict then return conflict end
if A_kind == 'agent' and primary_agent() == A_name then return {'agent_is_primary', 'deleted'} end
redis.call('HDEL', K_definitions, A_name)
if A_kind == 'prompt' then redis.call('SREM', K_publicPrompts, A_name) end
local freed = #entry.summary
for _, field in ipairs(redis.call('HKEYS', K_definition)) do
  if string.find(field, '^%d+$') then freed = freed + bytes_of_version(field) end
end
redis.call('DEL', K_definition)
count_definition_bytes(-freed)
count_agent_change()
publish_definition_change(entry.enabled)
return {'deleted'}
