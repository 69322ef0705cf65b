-- The replicas that hold a request until something becomes pending in a tenant: their channels stand in the tenant's field
-- 'watch'. Whoever opens or frees something reads the tenant anyway, so they cost nothing while there are none.
local function register_pending_list_waiter(channel)
  local waiters = redis.call('HGET', K_tenant, 'watch')
  if waiters and string.find(' ' .. waiters .. ' ', ' ' .. channel .. ' ', 1, true) then return end
  redis.call('HSET', K_tenant, 'watch', waiters and waiters .. ' ' .. channel or channel)
end

-- Notifies them under the name of their wait, which is a task's topic without the task.
local function notify_pending_list_waiters(waiters)
  if not waiters then return end
  redis.call('HDEL', K_tenant, 'watch')
  notify_task_waiters(waiters, string.match(A_topic, '^[^:]*:'), 0, 'input_required', '')
end
