#!lua flags=allow-oom
-- CLAIM: claims one pending interaction, renews its holder's claim, or ends it (lease 0).
-- Returns: {'claimed', until}, {'released'}, {'interaction_claimed', ms, last_claim} while another holds it, {'interaction_not_found'},
--          {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}, or a refusal of RECHECK
local now = clock()
local refusal, principal, scopes = recheck_admission(now)
if refusal then return refusal end
local owner = visible_owner(principal, scopes)
if not owner then return {'interaction_not_found'} end
local open, answered, ended, last_claim = unpack(redis.call(
  'HMGET', K_task, F_waits, F_answered .. A_number, F_ended .. A_number, F_last_claim .. A_number))
local closed = refusal_of_closed(answered, ended)
if closed then return closed end
local wait = find_interaction(parse_waits(open), A_number)
if not wait or wait.kind == 'provider' then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end

local reference = A_ref .. '.' .. A_number .. '|' .. owner
local lease, claimed_until = tonumber(A_lease), lease_end_of(reference, now)
if claimed_until and not is_holder(reference, now) then
  return {'interaction_claimed', string.format('%d', claimed_until - now), last_claim or ''}
end
if lease > 0 then
  set_claims(now, {now + lease, reference})
  -- A claim that is renewed was made when it was made.
  if not (claimed_until and last_claim) then
    redis.call('HSET', K_task, F_last_claim .. A_number, format_claim(now, A_claimer))
  end
  return {'claimed', string.format('%d', now + lease)}
end
if claimed_until then
  redis.call('ZREM', K_claims, reference)
  redis.call('ZREM', K_holder, reference)
  notify_pending_list_waiters(redis.call('HGET', K_tenant, 'watch'))
end
return {'released'}
