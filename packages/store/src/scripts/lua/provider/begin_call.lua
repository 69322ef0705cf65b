#!lua flags=allow-oom
-- BEGIN_CALL: gives a BullMQ job the call to an LLM endpoint that it is for, for as long as `lease` says.
-- KEYS: tenant task calls tenantsWithJobs
-- ARGV: topic ref number lease
-- Returns: {'begun', until, principal, program, request}: until: when the lease ends; {'leased', ms} while another
--          worker has it; {'closed', next} of a call that nobody waits for any more: next is the jobs to add
-- Two workers never make one call at a time, unless one of them has stood still for longer than its lease.
-- @include clock
-- @include tenant_limits
-- @include deferred_writes
-- @include waits
-- @include provider_calls
local now = clock()
local call = A_ref .. '.' .. A_number
local open, principal, program, request = unpack(redis.call(
  'HMGET', K_task, F_waits, F_principal, F_program, F_request .. A_number))
local wait = find_interaction(parse_waits(open), A_number)
if not wait or wait.kind ~= 'provider' or wait.due <= now then return {'closed', drop_calls(now, {call})} end
local held_until = tonumber(redis.call('ZSCORE', K_calls, call) or 0)
if held_until > now and held_until < FIRST_WAITING then return {'leased', string.format('%d', held_until - now)} end
local lease_end = string.format('%d', now + A_lease)
redis.call('ZADD', K_calls, lease_end, call)
return {'begun', lease_end, principal, program, request}
