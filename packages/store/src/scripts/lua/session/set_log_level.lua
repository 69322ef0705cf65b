#!lua
-- SET_LOG_LEVEL: keeps the level of the log messages that the calls of an MCP session send, and publishes it to the replicas.
-- Arguments: level: its number, 0 to 7; limit: how many sessions of a tenant have one, those that set theirs last
-- Returns: {'set'}
-- A session's score is when it set its level, in ms, with the level for a last digit.
redis.call('ZADD', K_logLevels, clock() * 10 + tonumber(A_level), A_id)
redis.call('ZREMRANGEBYRANK', K_logLevels, 0, -tonumber(A_limit) - 1)
redis.call('PEXPIRE', K_logLevels, A_life)
redis.call('PUBLISH', A_channel, A_id .. ' ' .. A_level)
return {'set'}
