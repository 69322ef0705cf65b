-- The replicas that hold a request for something to become pending in a tenant, in the tenant's field 'watch'. Whoever
-- opens or frees something reads the tenant anyway, so that nothing is asked of Redis for them while there are none.
local function watch(channel)
  local watchers = redis.call('HGET', K_tenant, 'watch')
  if watchers and string.find(' ' .. watchers .. ' ', ' ' .. channel .. ' ', 1, true) then return end
  redis.call('HSET', K_tenant, 'watch', watchers and watchers .. ' ' .. channel or channel)
end

-- Tells them, by the name of their wait: a task's member without the task.
local function tell_watchers(watchers)
  if not watchers then return end
  redis.call('HDEL', K_tenant, 'watch')
  notify(watchers, string.match(A_member, '^[^:]*:'), 0, 'input_required', '')
end
