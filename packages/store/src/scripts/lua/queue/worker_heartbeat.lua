#!lua flags=allow-oom
-- WORKER_HEARTBEAT: registers a worker and its programs as live for `ttl` ms, or takes it out (ttl 0).
-- Arguments: worker: its name and its programs, as they stand in the set; ttl: ms until it counts as dead
-- Returns: {ms}: how long ago the last sweep of the shard began, or -1 where there was none
local now = clock()
redis.call('ZREMRANGEBYSCORE', K_workers, '-inf', now)
if A_ttl == '0' then
  redis.call('ZREM', K_workers, A_worker)
else
  redis.call('ZADD', K_workers, now + tonumber(A_ttl), A_worker)
  redis.call('PEXPIRE', K_workers, A_ttl)
end
local swept = redis.call('GET', K_swept)
return {swept and now - swept or -1}
