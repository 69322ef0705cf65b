#!lua flags=allow-oom
-- UPDATE_KEY: changes fields of an API key, and publishes that to the replicas that hold calls and streams with it.
-- Arguments: behind them field, value, ...; an empty value deletes the field
-- Returns: {'updated'}, {'key_not_found'}
if redis.call('EXISTS', K_credential) == 0 then return {'key_not_found'} end
for at = A_rest, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('HDEL', K_credential, ARGV[at])
  else redis.call('HSET', K_credential, ARGV[at], ARGV[at + 1]) end
end
redis.call('PUBLISH', A_channel, A_message)
return {'updated'}
