#!lua flags=allow-oom
-- RELEASE: puts a task back after a segment that failed for a reason that may pass; it is ready again after a pause,
-- and its holder is stale.
-- KEYS: task deadlines leased
-- ARGV: fence member pause tries
--       tries: how many segments count as begun since the task last parked
-- Returns: {'released'} or {'stale'}
-- @include clock
if redis.call('HGET', K_task, 'fe') ~= A_fence then return {'stale'} end
local wake = clock() + tonumber(A_pause)
redis.call('HSET', K_task, 'fe', A_fence + 1, 'wk', wake, 'tr', A_tries)
redis.call('ZADD', K_deadlines, 'LT', wake, A_member)
redis.call('ZREM', K_leased, A_member)
return {'released'}
