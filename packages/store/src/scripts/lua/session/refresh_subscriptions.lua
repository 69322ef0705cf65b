#!lua flags=allow-oom
-- REFRESH_SUBSCRIPTIONS: the resources that an MCP session with an open stream is subscribed to; they expire `life` ms from
-- now.
-- Returns: {'session_not_found'} for one that was ended, or {'ok', uri, ...}
if redis.call('ZSCORE', K_ended, A_id) then return {'session_not_found'} end
local uris = redis.call('SMEMBERS', K_session)
if #uris > 0 then
  redis.call('PEXPIRE', K_session, A_life)
  redis.call('ZADD', K_subscribers, clock() + tonumber(A_life), A_id)
  redis.call('PEXPIRE', K_subscribers, A_life)
end
table.insert(uris, 1, 'ok')
return uris
