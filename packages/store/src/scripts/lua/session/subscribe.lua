#!lua
-- SUBSCRIBE: subscribes an MCP session to a resource, and tells the replica that holds its stream.
-- KEYS: session subscribers ended activeChangeChannel idle
-- ARGV: id uri subscriptions bytes sessions life grace idle
--       subscriptions and bytes: how many a session may have, and of what length in all; sessions: how many sessions of
--       the tenant may have any; idle: one that loses its own (K_idle) to make room, if it held no stream for as long as
--       grace; '' for none
-- Returns: {'subscribed'}, also where it was subscribed already; {'session_not_found'}; {'limit_subscriptions', limit, most};
--          {'full', idle}: repeat with the session that has held no stream for longest
-- @include clock
-- @include change_feed
local now = clock()
local expires_at = now + tonumber(A_life)
if redis.call('ZSCORE', K_ended, A_id) then return {'session_not_found'} end
if redis.call('SISMEMBER', K_session, A_uri) == 0 then
  local uris, bytes = redis.call('SMEMBERS', K_session), #A_uri
  for _, uri in ipairs(uris) do bytes = bytes + #uri end
  if #uris >= tonumber(A_subscriptions) then return {'limit_subscriptions', 'subscriptions', A_subscriptions} end
  if bytes > tonumber(A_bytes) then return {'limit_subscriptions', 'subscriptionBytes', A_bytes} end
  if #uris == 0 then
    redis.call('ZREMRANGEBYSCORE', K_subscribers, '-inf', now)
    local full = redis.call('ZCARD', K_subscribers) >= tonumber(A_sessions)
    if full and not redis.call('ZSCORE', K_subscribers, A_id) then
      -- Whose subscriptions expire then or earlier has held no stream for as long as grace.
      local idle_until = expires_at - tonumber(A_grace)
      local idle_expires_at = redis.call('ZSCORE', K_subscribers, A_idle)
      if not idle_expires_at or tonumber(idle_expires_at) > idle_until then
        local idle = redis.call('ZRANGE', K_subscribers, '-inf', idle_until, 'BYSCORE', 'LIMIT', 0, 1)
        if idle[1] then return {'full', idle[1]} end
        return {'limit_subscriptions', 'subscribedSessions', A_sessions}
      end
      redis.call('DEL', K_idle)
      redis.call('ZREM', K_subscribers, A_idle)
    end
  end
  redis.call('SADD', K_session, A_uri)
end
redis.call('ZADD', K_subscribers, expires_at, A_id)
redis.call('PEXPIRE', K_session, A_life)
redis.call('PEXPIRE', K_subscribers, A_life)
local channel = change_channel()
if channel then
  redis.call('PUBLISH', channel, cjson.encode({kind = 'subscription', session = A_id, uri = A_uri, on = true}))
end
return {'subscribed'}
