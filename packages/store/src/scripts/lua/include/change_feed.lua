-- The channel of the tenant's changes where someone listens to it, otherwise false: K_listeners holds it while a replica
-- has a stream of the tenant open. So nobody pays for what nobody hears but for this look.
local function listeners()
  if cache[K_listeners] == nil then cache[K_listeners] = redis.call('GET', K_listeners) end
  return cache[K_listeners]
end

-- Tells whoever listens how a task has moved; `listed` is true when an entry of a list came or went with it.
local function announce_task(principal, listed)
  local channel = listeners()
  if not channel then return end
  redis.call('PUBLISH', channel, cjson.encode({kind = 'task', member = A_member, principal = principal, listed = listed}))
end
