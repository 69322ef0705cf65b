-- How many tasks of the shard are leased.
local function leased()
  kept.leased = kept.leased or redis.call('ZCARD', K_leased)
  return kept.leased
end

-- The channel of a worker on its shift that surely hears: a cluster's node knows of those alone that listen to itself.
local function worker_listening(now)
  if kept.listening == nil then
    local channel, present = worker_present(now)
    kept.listening = channel and redis.call('PUBSUB', 'NUMSUB', channel)[2] > 0 and channel
    kept.places = present * 32
  end
  return kept.listening
end

-- Hands a task to a worker on its shift: whole, with a lease, so that nobody has to come for it. Only where nothing is
-- ready, so that no turn is jumped, and where no more are leased than workers get done in some milliseconds. True when it was
-- handed over, with all others of this command in one message; if that does not arrive, their leases end and SWEEP puts
-- them back. Needs turns and load.
local function hand_over(member, now)
  if #A_answer > 32768 or stand_ready() > 0 or not worker_listening(now) or leased() >= kept.places then return false end
  local record, task, bytes = read_task(K_task)
  if bytes > 32768 then return false end
  redis.call('ZADD', K_leased, now + tonumber(A_lease), member)
  kept.leased = kept.leased + 1
  if not kept.handed then
    local channel, ready, handed = kept.listening, K_ready, {}
    kept.handed = handed
    later[#later + 1] = function() redis.call('PUBLISH', channel, 'tasks ' .. ready .. ' ' .. cjson.encode(handed)) end
  end
  kept.handed[#kept.handed + 1] = {member, begin_task(K_task, record, task)}
  return true
end
