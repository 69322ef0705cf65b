#!lua flags=allow-oom
-- SEIZE: TAKE and LOAD of the one task that rang, while it still stands ready.
-- KEYS: ready turns leased task
-- ARGV: member lease
-- Returns: {left, task}: how many are still ready, and the task as LOAD gives it; false when it is another's by now, or ended
-- @include clock
-- @include load
local turn = redis.call('ZSCORE', K_ready, A_member)
local task = false
if turn then
  redis.call('ZREM', K_ready, A_member)
  redis.call('ZADD', K_leased, clock() + tonumber(A_lease), A_member)
  task = load_task(K_task, A_member)
end
local left = redis.call('ZCARD', K_ready)
if left == 0 then redis.call('DEL', K_turns) elseif turn then redis.call('HSET', K_turns, ':served', turn) end
return {left, task}
