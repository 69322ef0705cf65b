#!lua flags=allow-oom
-- RELEASE_TASK: ends a segment that failed for a reason that is known and may pass: its holder is stale, its try does not
-- count, and the task stays in its job's batch, for BullMQ to run the job again.
-- Arguments: tries: how many segments count as begun since the task last parked
-- Returns: {'released'} or {'stale'}
if redis.call('HGET', K_task, F_fence) ~= A_fence then return {'stale'} end
redis.call('HSET', K_task, F_fence, A_fence + 1, F_tries, A_tries)
return {'released'}
