-- The ready set is the outbox: tasks that wait for a worker, each with its turn as score. Tenants take turns by
-- start-time fair queueing: a task's turn is one after its tenant's last, or one after the turn being served, so one
-- tenant's ten thousand never stand before another's first.

-- How many stand in the set.
local function stand_ready()
  kept.ready = kept.ready or redis.call('ZCARD', K_ready)
  return kept.ready
end

-- The channel of a worker on its shift, if there is one, and how many there are.
local function worker_present(now)
  local present = redis.call('ZRANGEBYSCORE', K_shifts, now, '+inf')
  return #present > 0 and present[1 + now % #present], #present
end

-- Puts a task into the set. One that joins an empty set rings for a worker on its shift, if there is one. Returns how many
-- stand in the set, or 0 when a worker was rung for: otherwise the caller adds a job.
local function enqueue(member, now)
  local tenant = string.match(member, '^[^:]+')
  kept.turns = kept.turns or {}
  local last = kept.turns[tenant]
  if not last then
    local served = redis.call('HMGET', K_turns, ':served', tenant)
    last = math.max(tonumber(served[1] or 0), tonumber(served[2] or 0))
  end
  -- NX: one that stands there keeps its turn, and its tenant spends no other.
  local before = stand_ready()
  local added = redis.call('ZADD', K_ready, 'NX', last + 1, member)
  if added == 1 then
    if not kept.turns[tenant] then
      local turns, all = K_turns, kept.turns
      later[#later + 1] = function() redis.call('HSET', turns, tenant, all[tenant]) end
    end
    kept.turns[tenant] = last + 1
  end
  kept.ready = before + added
  local channel = kept.ready == 1 and worker_present(now)
  if channel then
    redis.call('PUBLISH', channel, 'ready ' .. K_ready)
    return 0
  end
  return kept.ready
end
