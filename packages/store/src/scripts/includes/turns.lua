-- The ready set is the outbox: tasks that wait for a worker, each with its turn as score. Tenants take turns by
-- start-time fair queueing: a task's turn is one after its tenant's last, or one after the turn being served, so one
-- tenant's ten thousand never stand before another's first.
-- A task that joins an empty set rings for a worker on its shift, if there is one, and says which it is. Returns how many stand in the set,
-- or 0 when a worker was rung for: otherwise the caller adds a job.
local function enqueue(member, now)
  local tenant = string.match(member, '^[^:]+')
  local served = redis.call('HMGET', K_turns, ':served', tenant)
  local turn = math.max(tonumber(served[1] or 0), tonumber(served[2] or 0)) + 1
  -- NX: one that stands there keeps its turn, and its tenant spends no other.
  if redis.call('ZADD', K_ready, 'NX', turn, member) == 1 then redis.call('HSET', K_turns, tenant, turn) end
  local size = redis.call('ZCARD', K_ready)
  if size == 1 then
    local present = redis.call('ZRANGEBYSCORE', K_shifts, now, '+inf')
    if #present > 0 then
      redis.call('PUBLISH', present[1 + now % #present], 'ready ' .. member .. ' ' .. K_ready)
      return 0
    end
  end
  return size
end
