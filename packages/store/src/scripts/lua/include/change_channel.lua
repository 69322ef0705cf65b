-- The channel of the tenant's changes, or false while no replica subscribes to it: K_activeChangeChannel holds it while one has a
-- stream of the tenant open. Without a subscriber a change costs this one read.
local function change_channel()
  if cache[K_activeChangeChannel] == nil then cache[K_activeChangeChannel] = redis.call('GET', K_activeChangeChannel) end
  return cache[K_activeChangeChannel]
end

-- Publishes that a task has changed; `listed` is true when an entry of a list came or went with it. Without a topic it is the
-- script's own task. `streamed` is true when there is only more of a streamed answer to read.
local function publish_task_change(principal, listed, topic, streamed)
  local channel = change_channel()
  if not channel then return end
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'task', member = topic or A_topic, principal = principal, listed = listed, streamed = streamed,
  }))
end
