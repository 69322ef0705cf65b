#!lua flags=allow-oom
-- SETTLE: ends a task with what its program ended with.
-- KEYS: tenant task pending claims deadlines ready held jobs outstanding workers listeners
-- ARGV: fence member ref status payload retention
-- Returns: {'settled', next}: next is the job to add, as "number list", or ''; or {'stale'} when the fence has moved: nothing was written
-- @include clock
-- @include deferred_writes
-- @include ready_queue
-- @include waits
-- @include task_waiters
-- @include change_feed
-- @include end_task
local task = redis.call('HMGET', K_task, 'fe', 'open', 'pr', 'ev', 'w', 'q', 'op')
if task[1] ~= A_fence then return {'stale'} end
return {'settled', finish(task, clock(), A_status, A_payload, 'cancelled')}
