-- Tasks that have ended stay readable for the retention: sorted set K_retained, ref by the time at which it is over. They leave
-- earlier, the oldest first, while there are more than `retainedTasks` of them; and while they take more than their share of
-- `storedBytes`, the oldest lose requests and answers first, and then leave.

-- Ended tasks may take one part of so many of `storedBytes`: more of them never stand in the way of new calls.
local ENDED_PARTS = 4

-- How many ended tasks are too many, and how many bytes of theirs: above 0 what is to go.
local function read_excess(tenant, retained)
  local most_bytes, most_tasks, bytes = unpack(read_limits(tenant, 'storedBytes', 'retainedTasks', 'storedEnded'))
  return redis.call('ZCARD', retained) - tonumber(most_tasks), tonumber(bytes or 0) - tonumber(most_bytes) / ENDED_PARTS
end

-- Retains a task that ends now, and has the sweep come when it, or another, is to go. Once for all calls of the batch.
local function retain_task(now)
  local until_ms = now + tonumber(A_retention)
  defer_write('ZADD', K_retained, until_ms, A_ref)
  defer_lifetime(K_retained, string.format('%d', A_retention + RECORD_GRACE))
  local name = 'retention of ' .. K_retained
  if cache[name] then return end
  cache[name] = true
  local due, name_of_tenant, tenant, retained = K_due, string.match(A_topic, '^[^:]+'), K_tenant, K_retained
  deferred_writes[#deferred_writes + 1] = function()
    local tasks, bytes = read_excess(tenant, retained)
    redis.call('ZADD', due, 'LT', (tasks > 0 or bytes > 0) and now or until_ms, name_of_tenant)
  end
end
