#!lua flags=allow-oom
-- LIST_DUE_TENANTS: the tenants of a shard of which something has fallen due, those that waited longest first; notes that
-- a sweep runs.
-- Returns: {tenant, ...}
local now = clock()
redis.call('SET', K_swept, now)
return redis.call('ZRANGEBYSCORE', K_due, '-inf', now, 'LIMIT', 0, A_limit)
