#!lua
-- SUBSCRIBE_SESSION: subscribes an MCP session to a resource, and tells the replica that holds its stream.
-- Arguments: subscriptions and bytes: how many a session may have, and of what length in all; sessions: how many sessions of
-- the tenant may have any; idle: one that loses its own (K_idle) to make room, if it held no stream for as long as
-- grace, or if its key has more than the caller's would; '' for none. An id begins with the key that opened the
-- session, and a dot
-- Returns: {'subscribed'}, also where it was subscribed already; {'session_not_found'}; {'limit_subscriptions', limit, most};
--          {'full', idle}: repeat with the session that is to lose its own: one that has held no stream for longest, or else of
--          the key that has most; or a refusal of RECHECK
local function key_of(id) return string.match(id, '^(.*)%.') or '' end

-- The key with most sessions, and one of those, if they are more than the caller's would be with one more. Callers that come
-- at once are given different ones. Looked for only when there is no room: it reads the sessions that have subscriptions.
local function session_beyond_share()
  local of_key, own = {}, key_of(A_id)
  for _, id in ipairs(redis.call('ZRANGE', K_subscribers, 0, -1)) do
    local key = key_of(id)
    of_key[key] = of_key[key] or {}
    table.insert(of_key[key], id)
  end
  local most, count = nil, #(of_key[own] or {}) + 1
  for key, ids in pairs(of_key) do
    if #ids > count then most, count = key, #ids end
  end
  if not most then return end
  return most, of_key[most][1 + tonumber(string.sub(redis.sha1hex(A_id), 1, 6), 16) % count]
end

local now = clock()
local refusal = recheck_admission(now)
if refusal then return refusal end
local expires_at = now + tonumber(A_life)
if redis.call('ZSCORE', K_ended, A_id) then return {'session_not_found'} end
if redis.call('SISMEMBER', K_session, A_uri) == 0 then
  local uris, bytes = redis.call('SMEMBERS', K_session), #A_uri
  for _, uri in ipairs(uris) do bytes = bytes + #uri end
  if #uris >= tonumber(A_subscriptions) then return {'limit_subscriptions', 'subscriptions', A_subscriptions} end
  if bytes > tonumber(A_bytes) then return {'limit_subscriptions', 'subscriptionBytes', A_bytes} end
  if #uris == 0 then
    trim(K_subscribers, now)
    local full = redis.call('ZCARD', K_subscribers) >= tonumber(A_sessions)
    if full and not redis.call('ZSCORE', K_subscribers, A_id) then
      -- Whose subscriptions expire then or earlier has held no stream for as long as grace.
      local idle_until = expires_at - tonumber(A_grace)
      local idle_expires_at = redis.call('ZSCORE', K_subscribers, A_idle)
      if not idle_expires_at or tonumber(idle_expires_at) > idle_until then
        local idle = redis.call('ZRANGE', K_subscribers, '-inf', idle_until, 'BYSCORE', 'LIMIT', 0, 1)
        if idle[1] then return {'full', idle[1]} end
        local key, excess = session_beyond_share()
        if not key then return {'limit_subscriptions', 'subscribedSessions', A_sessions} end
        if not idle_expires_at or key_of(A_idle) ~= key then return {'full', excess} end
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
