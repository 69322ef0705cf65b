#!lua flags=allow-oom
-- END_KEY: ends an API key, now or at a time that is sooner than its own, and publishes that to the replicas that hold calls
-- with it: whatever is published after it is published to who may still hear it.
-- KEYS: credential keys keyEnds
-- ARGV: id expires remembered channel message
--       expires: ms, or '' to revoke the key now; remembered: how long the record of an ended key stays
-- Returns: {'ended'}, {'key_not_found'}
local function publish() redis.call('PUBLISH', A_channel, A_message) end
if A_expires == '' then
  local gone = redis.call('DEL', K_credential)
  redis.call('ZREM', K_keys, A_id)
  redis.call('ZREM', K_keyEnds, A_id)
  publish()
  return {gone == 1 and 'ended' or 'key_not_found'}
end
local digest, expires = unpack(redis.call('HMGET', K_credential, 'digest', 'expires'))
if not digest then return {'key_not_found'} end
if not expires or tonumber(expires) > tonumber(A_expires) then
  redis.call('HSET', K_credential, 'expires', A_expires)
  redis.call('PEXPIREAT', K_credential, A_expires + A_remembered)
  redis.call('ZADD', K_keyEnds, A_expires, A_id)
  publish()
end
return {'ended'}
