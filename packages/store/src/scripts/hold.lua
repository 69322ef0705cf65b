#!lua flags=allow-oom
-- HOLD: gives a lease more time, while it is there.
-- KEYS: leased
-- ARGV: member lease
-- Returns: {}
-- @include clock
redis.call('ZADD', K_leased, 'XX', clock() + tonumber(A_lease), A_member)
return {}
