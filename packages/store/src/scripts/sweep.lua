#!lua flags=allow-oom
-- SWEEP: finds what a shard forgot: deadlines that have passed, leases whose holder died, ready tasks without a job.
-- KEYS: deadlines ready turns shifts leased swept
-- ARGV: interval most hold
-- Returns: {-1} when another worker swept within the interval, otherwise {ready, member, ...}: the members due
-- A due member's deadline moves on a little, so that the next sweep does not give it out again while this one works.
-- @include clock
-- @include batch
-- @include turns
local now = clock()
if not redis.call('SET', K_swept, now, 'NX', 'PX', A_interval) then return {-1} end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', K_leased, '-inf', now, 'LIMIT', 0, A_most)) do
  redis.call('ZREM', K_leased, member)
  enqueue(member, now)
end
local due = redis.call('ZRANGEBYSCORE', K_deadlines, '-inf', now, 'LIMIT', 0, A_most)
local held = {}
for _, member in ipairs(due) do put(held, now + tonumber(A_hold), member) end
send('ZADD', K_deadlines, held)
if #due == tonumber(A_most) then redis.call('DEL', K_swept) end
table.insert(due, 1, redis.call('ZCARD', K_ready))
return due
