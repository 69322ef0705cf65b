#!lua flags=allow-oom
-- UNSUBSCRIBE: an MCP session is to hear of a resource no more.
-- KEYS: session subscribers listeners
-- ARGV: id uri
-- Returns: {'unsubscribed'}, also for what it never heard of, which is told to nobody
-- @include change_feed
if redis.call('SREM', K_session, A_uri) == 0 then return {'unsubscribed'} end
if redis.call('EXISTS', K_session) == 0 then redis.call('ZREM', K_subscribers, A_id) end
local channel = listeners()
if channel then
  redis.call('PUBLISH', channel, cjson.encode({kind = 'subscription', session = A_id, uri = A_uri, on = false}))
end
return {'unsubscribed'}
