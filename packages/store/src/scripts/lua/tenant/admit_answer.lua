#!lua flags=allow-oom
-- ADMIT_ANSWER: ADMIT for an answer to an interaction, before the script that takes it: it may overdraw the rate where the
-- answer would be taken now.
-- Returns: {'ok', principal, scopes, expiresInMs}, '' for never, or a refusal as ADMIT: {'unauthenticated'}, {'insufficient_scope', need},
--          {'tenant_suspended'}, {'limit_size', limit, bytes, most}, {'limit_rate', retryAfterMs, perSecond, keys}
local now = clock()
local refusal, principal, scopes, _, expires_in = authenticate(now)
if refusal then return refusal end
local wait
if visible_owner(principal, scopes) then
  wait = find_interaction(parse_waits(redis.call('HGET', K_task, F_waits)), A_number)
end
local over_rate = take_answer_rate_token(now, wait)
if over_rate then return over_rate end
return {'ok', principal, scopes, expires_in}
