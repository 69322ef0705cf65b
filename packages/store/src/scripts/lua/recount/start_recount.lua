#!lua flags=allow-oom
-- START_RECOUNT: begins a recount of what a tenant stores (see include/storage.lua); one that goes on ends without effect.
-- KEYS: tenant
-- ARGV: walk
-- Returns: {'started'}, {'tenant_not_found'}
if redis.call('EXISTS', K_tenant) == 0 then return {'tenant_not_found'} end
local definitions, conversations = unpack(redis.call('HMGET', K_tenant, 'workflowBytes', 'conversationsStored'))
redis.call('HSET', K_tenant, 'walk', A_walk, 'walked', (definitions or 0) + (conversations or 0), 'walkedEnded', 0)
return {'started'}
