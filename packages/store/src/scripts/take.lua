#!lua flags=allow-oom
-- TAKE: leases the next ready tasks of a shard, tenants in turn.
-- KEYS: ready turns leased
-- ARGV: most lease
-- Returns: {left, member, ...}: how many are still ready, then what was taken
-- A lease that its holder does not end is given back by SWEEP.
-- @include clock
-- @include batch
local popped = redis.call('ZPOPMIN', K_ready, A_most)
if #popped == 0 then
  -- What emptied the set was not always a TAKE, and old turns must not set anyone back.
  redis.call('DEL', K_turns)
  return {0}
end
local until_ms = clock() + tonumber(A_lease)
-- Fewer than were asked for were all that there were.
local reply = {#popped < tonumber(A_most) * 2 and 0 or redis.call('ZCARD', K_ready)}
local leases = {}
for at = 1, #popped, 2 do
  put(leases, until_ms, popped[at])
  reply[#reply + 1] = popped[at]
end
send('ZADD', K_leased, leases)
if reply[1] == 0 then
  redis.call('DEL', K_turns)
else
  redis.call('HSET', K_turns, ':served', popped[#popped])
end
return reply
