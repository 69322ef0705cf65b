#!lua
-- CREATE_KEY: creates an API key, for a caller whose own key is good now and is not outlived by it; in the place of another key, which
-- ends then, if it is good now: of several who replace it with no overlap, one does. Where none has ended that makes room, one that is
-- replaced with no overlap makes it itself: there are no more keys than before.
-- Keys: credential: of the key with which it is created
-- Arguments: expires: ms, or '' for never; remembered: how long the record of an ended key stays; limit: how many keys a tenant has
-- whose record names no limit; forget: an ended key (K_forgotten) that goes where there is no room, or '';
-- replacedId: the key whose place it takes (K_replaced), or ''; overlap: for how many ms that goes on; behind them field, value, ...
-- Returns: {'created', at}, {'outlives', ms}: repeat with this expiry at most, {'full', id}: there is no room, repeat with this ended
--          key to be forgotten, {'limit_keys', most}: none has ended or ends now, {'key_not_found'}: the one to
--          be replaced has ended, or a refusal of RECHECK
local function forget(id)
  redis.call('ZREM', K_apiKeys, id)
  redis.call('ZREM', K_apiKeyEnds, id)
end

local now, remembered = clock(), tonumber(A_remembered)
-- A command whose reply was lost.
if redis.call('EXISTS', K_key) == 1 then return {'created', tonumber(redis.call('HGET', K_key, 'at'))} end
local refusal, _, _, expires_in = recheck_admission(now)
if refusal then return refusal end
-- Until when the key that is replaced goes on: its own end, where that is sooner.
local replaced_until
if A_replacedId ~= '' then
  local digest, expires = unpack(redis.call('HMGET', K_replaced, 'digest', 'expires'))
  expires = expires and tonumber(expires)
  if not digest or (expires and expires <= now) then return {'key_not_found'} end
  if not expires or expires > now + A_overlap then replaced_until = string.format('%d', now + A_overlap) end
end
local most = expires_in ~= '' and now + tonumber(expires_in)
if most and (A_expires == '' or tonumber(A_expires) > most) then return {'outlives', string.format('%d', most)} end
-- Of those whose record is gone, a hundred at most: others go when the next key is created.
for _, id in ipairs(redis.call('ZRANGE', K_apiKeyEnds, '-inf', now - remembered, 'BYSCORE', 'LIMIT', 0, 100)) do forget(id) end
local limit = redis.call('HGET', K_tenant, 'apiKeys') or A_limit
if redis.call('ZCARD', K_apiKeys) >= tonumber(limit) then
  local ended = redis.call('ZRANGE', K_apiKeyEnds, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
  if ended then
    if ended ~= A_forget then return {'full', ended} end
    redis.call('DEL', K_forgotten)
    forget(ended)
  elseif replaced_until and tonumber(A_overlap) == 0 then
    redis.call('DEL', K_replaced)
    forget(A_replacedId)
    redis.call('PUBLISH', A_channel, A_message)
    replaced_until = nil
  else
    return {'limit_keys', limit}
  end
end
for at = A_rest, #ARGV, 2 do redis.call('HSET', K_key, ARGV[at], ARGV[at + 1]) end
redis.call('HSET', K_key, 'at', now)
if A_expires ~= '' then
  redis.call('HSET', K_key, 'expires', A_expires)
  redis.call('PEXPIREAT', K_key, A_expires + remembered)
  redis.call('ZADD', K_apiKeyEnds, A_expires, A_id)
end
redis.call('ZADD', K_apiKeys, now, A_id)
if replaced_until then
  redis.call('HSET', K_replaced, 'expires', replaced_until)
  redis.call('PEXPIREAT', K_replaced, replaced_until + remembered)
  redis.call('ZADD', K_apiKeyEnds, replaced_until, A_replacedId)
  redis.call('PUBLISH', A_channel, A_message)
end
return {'created', now}
