-- Hands a task to a worker on its shift: whole, with a lease, so that nobody has to come for it. Only where it stands
-- alone, with nothing ready and nothing leased in its shard: then no turn is jumped, and no worker is given more than it
-- has asked for. True when it was handed over; a worker that does not get it loses the lease, and SWEEP puts it back.
-- Needs turns and load.
local function leased()
  kept.leased = kept.leased or redis.call('ZCARD', K_leased)
  return kept.leased
end

local function hand_over(member, now)
  if leased() > 0 or stand_ready() > 0 then return false end
  local channel = worker_present(now)
  -- A cluster's node knows of those that listen to itself; others are rung for.
  if not channel or redis.call('PUBSUB', 'NUMSUB', channel)[2] == 0 then return false end
  local record, task, bytes = read_task(K_task)
  if bytes > 32768 then return false end
  redis.call('ZADD', K_leased, now + tonumber(A_lease), member)
  redis.call('PUBLISH', channel, 'task ' .. K_ready .. ' ' .. member .. ' ' .. cjson.encode(begin_task(K_task, record, task)))
  kept.leased = 1
  return true
end
