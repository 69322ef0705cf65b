#!lua flags=allow-oom
-- UPSERT_TENANT: creates a tenant's record, or changes it.
-- Arguments: channel and message: where a change is published, which may end what callers were admitted for; behind them
-- field, value, ...; create 1: it must not exist, create 0: it must
-- Returns: {'ok'}, {'tenant_exists', deletion} or {'tenant_not_found', deletion}, deletion being 'begun', 'done' or ''
local exists = redis.call('EXISTS', K_tenant) == 1
local deleted, name = unpack(redis.call('HMGET', K_tenant, 'deleted', 'name'))
-- A deletion takes the name last.
local deletion = deleted and (name and 'begun' or 'done') or ''
if A_create == '1' and exists then return {'tenant_exists', deletion} end
if A_create == '0' and (deleted or not exists) then return {'tenant_not_found', deletion} end
if not exists then redis.call('HSET', K_tenant, 'at', clock()) end
for at = A_rest, #ARGV, 2 do redis.call('HSET', K_tenant, ARGV[at], ARGV[at + 1]) end
if exists then
  -- A lower limit may leave too many ended tasks: the sweep looks.
  redis.call('ZADD', K_due, 'LT', clock(), A_name)
  redis.call('PUBLISH', A_channel, A_message)
end
return {'ok'}
