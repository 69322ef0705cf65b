#!lua flags=no-writes,allow-oom
-- READ_DEFINITION: a version of a definition, and how it stands.
-- Arguments: version: '' for the newest
-- Returns: {entry, primary, version, definition, stored, etag} with primary 1 where it is the primary agent, or 0, and etag the entity
--          tag where the newest was asked for, or ''; {} where there is no such name or version
local entry = redis.call('HGET', K_definitions, A_name)
if not entry then return {} end
local version = A_version ~= '' and A_version or string.match(entry, '^%d+')
local definition, stored = unpack(redis.call('HMGET', K_definition, version, version .. ';by'))
if not definition then return {} end
local is_primary = A_kind == 'agent' and redis.call('HGET', K_tenant, 'primaryAgent') == A_name
local etag = A_version == '' and format_etag(entry, stored or '', tostring(is_primary)) or ''
return {entry, is_primary and 1 or 0, version, definition, stored or '', etag}
