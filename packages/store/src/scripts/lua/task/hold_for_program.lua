#!lua flags=allow-oom
-- HOLD: puts a task back for the workers that have its program; its holder is stale, and its try does not count.
-- KEYS: task ready held jobs outstanding workers
-- ARGV: member ref fence tries
-- Returns: {'held', next, next}: the jobs to add, as "number list", or ''; {'stale'} when the fence has moved
-- @include clock
-- @include deferred_writes
-- @include ready_queue
local task = redis.call('HMGET', K_task, 'fe', 'q', 'op')
if task[1] ~= A_fence then return {'stale'} end
local now = clock()
redis.call('HSET', K_task, 'fe', A_fence + 1, 'tr', A_tries, 'q', 'held')
redis.call('ZADD', K_held, 0, task[3] .. ' ' .. A_ref)
return {'held', leave_queue(task[2], '', now), request_job('held', now)}
