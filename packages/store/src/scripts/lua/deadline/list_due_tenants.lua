#!lua flags=allow-oom
-- DUE: the tenants of a shard for which something has fallen due, those that waited longest first; notes that a sweep runs.
-- KEYS: due swept
-- ARGV: most
-- Returns: {tenant, ...}
-- @include clock
local now = clock()
redis.call('SET', K_swept, now)
return redis.call('ZRANGEBYSCORE', K_due, '-inf', now, 'LIMIT', 0, A_most)
