#!lua flags=no-writes,allow-oom
-- READ_DEFINITION: a version of a definition, and how it stands.
-- Arguments: version: '' for the newest
-- Returns: {entry, primary, version, definition, stored} with primary the id of the primary agent, or ''; {} where there is no such
--          name or version
local entry = redis.call('HGET', K_definitions, A_name)
if not entry then return {} end
local version = A_version ~= '' and A_version or string.match(entry, '^%d+')
local definition, stored = unpack(redis.call('HMGET', K_definition, version, version .. ';by'))
if not definition then return {} end
return {entry, redis.call('HGET', K_tenant, 'primaryAgent') or '', version, definition, stored or ''}
