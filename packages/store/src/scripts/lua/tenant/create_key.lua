#!lua
-- CREATE_KEY: creates an API key, for a caller whose own key is good now and is not outlived by it.
-- KEYS: credential tenant key keys keyEnds forgotten
--       credential: of the key with which it is created
-- ARGV: digest principal scopes need id expires remembered limit forget ...
--       expires: ms, or '' for never; remembered: how long the record of an ended key stays; limit: how many keys a tenant has
--       whose record names no limit; forget: an ended key (K_forgotten) that goes where there is no room, or ''; behind it
--       field, value, ...
-- Returns: {'created', at}, {'outlives', ms}: repeat with this expiry at most, {'full', id}: there is no room, repeat with this ended
--          key to be forgotten, {'limit_keys', most}: none has ended, or a refusal of RECHECK
-- @include clock
-- @include credential
-- @include admission_recheck
local function forget(id)
  redis.call('ZREM', K_keys, id)
  redis.call('ZREM', K_keyEnds, id)
end

local now, remembered = clock(), tonumber(A_remembered)
local refusal, _, _, expires_in = recheck_admission(now)
if refusal then return refusal end
local most = expires_in ~= '' and now + tonumber(expires_in)
if most and (A_expires == '' or tonumber(A_expires) > most) then return {'outlives', string.format('%d', most)} end
-- Of those whose record is gone, a hundred at most: others go when the next key is created.
for _, id in ipairs(redis.call('ZRANGE', K_keyEnds, '-inf', now - remembered, 'BYSCORE', 'LIMIT', 0, 100)) do forget(id) end
local limit = redis.call('HGET', K_tenant, 'apiKeys') or A_limit
if redis.call('ZCARD', K_keys) >= tonumber(limit) then
  local ended = redis.call('ZRANGE', K_keyEnds, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
  if not ended then return {'limit_keys', limit} end
  if ended ~= A_forget then return {'full', ended} end
  redis.call('DEL', K_forgotten)
  forget(ended)
end
for at = A_rest, #ARGV, 2 do redis.call('HSET', K_key, ARGV[at], ARGV[at + 1]) end
redis.call('HSET', K_key, 'at', now)
if A_expires ~= '' then
  redis.call('HSET', K_key, 'expires', A_expires)
  redis.call('PEXPIREAT', K_key, A_expires + remembered)
  redis.call('ZADD', K_keyEnds, A_expires, A_id)
end
redis.call('ZADD', K_keys, now, A_id)
return {'created', now}
