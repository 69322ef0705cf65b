#!lua flags=no-writes,allow-oom
-- READ_DEFINITIONS: what lists show of all definitions of a kind.
-- Returns: {primary, revision, name, entry, ...}: the id of the primary agent, or '', and how often agents have changed
local primary, revision = unpack(redis.call('HMGET', K_tenant, 'primaryAgent', 'agentChanges'))
local reply = redis.call('HGETALL', K_definitions)
table.insert(reply, 1, revision or '0')
table.insert(reply, 1, primary or '')
return reply
