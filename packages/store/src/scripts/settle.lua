#!lua flags=allow-oom
-- SETTLE: ends a task with what its program ended with.
-- KEYS: tenant task pending claims deadlines ready leased listeners
-- ARGV: fence member ref status payload retention
-- Returns: {'settled'}, or {'stale'} when the fence has moved: nothing was written
-- @include clock
-- @include batch
-- @include opens
-- @include notify
-- @include announce
-- @include finish
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w')
if task[1] ~= A_fence then return {'stale'} end
finish(task, clock(), A_status, A_payload, 'cancelled')
return {'settled'}
