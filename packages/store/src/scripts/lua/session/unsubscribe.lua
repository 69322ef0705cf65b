#!lua flags=allow-oom
-- UNSUBSCRIBE_SESSION: ends an MCP session's subscription to a resource, and tells the replica that holds its stream.
-- Returns: {'unsubscribed'}, also where it was not subscribed, which nobody is told of
if redis.call('SREM', K_session, A_uri) == 0 then return {'unsubscribed'} end
if redis.call('EXISTS', K_session) == 0 then redis.call('ZREM', K_subscribers, A_id) end
local channel = change_channel()
if channel then
  redis.call('PUBLISH', channel, cjson.encode({kind = 'subscription', session = A_id, uri = A_uri, on = false}))
end
return {'unsubscribed'}
