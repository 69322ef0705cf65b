#!lua flags=allow-oom
-- END_SESSION: ends an MCP session, and publishes that to the replicas.
-- KEYS: session subscribers ended
-- ARGV: id limit life channel
--       limit: how many ended sessions of a tenant are remembered; of more, the oldest are forgotten
-- Returns: {'ended'}
-- @include clock
local now = clock()
redis.call('DEL', K_session)
redis.call('ZREM', K_subscribers, A_id)
redis.call('ZREMRANGEBYSCORE', K_ended, '-inf', now)
redis.call('ZADD', K_ended, now + tonumber(A_life), A_id)
redis.call('ZREMRANGEBYRANK', K_ended, 0, -1 - tonumber(A_limit))
redis.call('PEXPIRE', K_ended, A_life)
redis.call('PUBLISH', A_channel, A_id)
return {'ended'}
