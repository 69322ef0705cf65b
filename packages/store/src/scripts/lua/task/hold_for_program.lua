#!lua flags=allow-oom
-- HOLD_FOR_PROGRAM: puts a task back for the workers that have its program; its holder is stale, and its try does not
-- count.
-- Returns: {'held', next, next}: the jobs to add, as "number list", or ''; {'stale'} when the fence has moved
local fence, queue, program = unpack(redis.call('HMGET', K_task, F_fence, F_queue, F_program))
if fence ~= A_fence then return {'stale'} end
local now = clock()
redis.call('HSET', K_task, F_fence, A_fence + 1, F_tries, A_tries, F_queue, 'held')
redis.call('ZADD', K_held, 0, program .. ' ' .. A_ref)
return {'held', leave_queue(queue, '', now), request_job('held', now)}
