#!lua flags=allow-oom
-- REVOKE_KEY: revokes an API key now, and publishes that to the replicas that hold calls with it: whatever is published after it is
-- published to who may still hear it.
-- Returns: {'ended'}, {'key_not_found'}
local gone = redis.call('DEL', K_credential)
redis.call('ZREM', K_apiKeys, A_id)
redis.call('ZREM', K_apiKeyEnds, A_id)
redis.call('PUBLISH', A_channel, A_message)
return {gone == 1 and 'ended' or 'key_not_found'}
