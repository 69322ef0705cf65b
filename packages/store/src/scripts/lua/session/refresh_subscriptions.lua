#!lua flags=allow-oom
-- ATTUNE: what an MCP session that holds a stream is to hear of; its subscriptions live on from now.
-- KEYS: session subscribers ended
-- ARGV: id life
-- Returns: {'session_not_found'} for one that was ended, or {'ok', uri, ...}
-- @include clock
if redis.call('ZSCORE', K_ended, A_id) then return {'session_not_found'} end
local reply = redis.call('SMEMBERS', K_session)
if #reply > 0 then
  redis.call('PEXPIRE', K_session, A_life)
  redis.call('ZADD', K_subscribers, clock() + tonumber(A_life), A_id)
  redis.call('PEXPIRE', K_subscribers, A_life)
end
table.insert(reply, 1, 'ok')
return reply
