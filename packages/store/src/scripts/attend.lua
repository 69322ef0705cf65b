#!lua flags=allow-oom
-- ATTEND: a worker begins its shift on a shard, goes on with it, or ends it (attendance 0). While it is on its shift,
-- a task that joins the empty ready set rings its channel, and no job is added.
-- KEYS: ready shifts
-- ARGV: channel attendance
-- Returns: {ready}: how many tasks stand ready; a worker that ends its shift takes them first
-- @include clock
local now = clock()
redis.call('ZREMRANGEBYSCORE', K_shifts, '-inf', now)
if A_attendance == '0' then
  redis.call('ZREM', K_shifts, A_channel)
else
  redis.call('ZADD', K_shifts, now + tonumber(A_attendance), A_channel)
end
return {redis.call('ZCARD', K_ready)}
