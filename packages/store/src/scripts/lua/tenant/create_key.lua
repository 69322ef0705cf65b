#!lua
-- CREATE_KEY: creates an API key, for a caller whose own key is good now and is not outlived by it.
-- KEYS: credential tenant key keys
--       credential: of the key with which it is created
-- ARGV: digest principal scopes need id expires ...
--       expires: ms, or '' for never; behind it field, value, ...
-- Returns: {'created', at}, {'outlives', ms}: repeat with this expiry at most, or a refusal of RECHECK
-- @include clock
-- @include credential
-- @include admission_recheck
local now = clock()
local refusal, _, _, expires_in = recheck_admission(now)
if refusal then return refusal end
local most = expires_in ~= '' and now + tonumber(expires_in)
if most and (A_expires == '' or tonumber(A_expires) > most) then return {'outlives', string.format('%d', most)} end
for at = A_rest, #ARGV, 2 do redis.call('HSET', K_key, ARGV[at], ARGV[at + 1]) end
redis.call('HSET', K_key, 'at', now)
if A_expires ~= '' then redis.call('HSET', K_key, 'expires', A_expires) end
redis.call('ZADD', K_keys, now, A_id)
return {'created', now}
