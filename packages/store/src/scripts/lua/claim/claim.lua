#!lua flags=allow-oom
-- CLAIM: claims one pending interaction, renews its holder's claim, or ends it (lease 0).
-- KEYS: tenant task claims holders
-- ARGV: principal scopes member ref number holder lease
-- Returns: {'claimed', until}, {'released'}, {'interaction_claimed', ms} while another holds it, {'interaction_not_found'},
--          {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'}
-- @include clock
-- @include waits
-- @include task_waiters
-- @include backlog_waiters
-- @include claims
local task = redis.call('HMGET', K_task, 'pr', 'open', 'g' .. A_number, 'x' .. A_number)
local may = task[1] and (task[1] == A_principal or string.find(A_scopes, ' agent ', 1, true))
if not may then return {'interaction_not_found'} end
if task[3] then return {'interaction_already_answered'} end
if task[4] then return {'interaction_' .. string.match(task[4], '^[^;]+')} end
local now = clock()
local due
for _, open in ipairs(parse_opens(task[2])) do
  if open.number == tonumber(A_number) then due = open.due end
end
if not due then return {'interaction_not_found'} end
if due <= now then return {'interaction_expired'} end

end_leases(now)
local reference = A_ref .. '.' .. A_number .. '|' .. task[1]
local lease, held = tonumber(A_lease), redis.call('ZSCORE', K_claims, reference)
if held and not redis.call('ZSCORE', K_holders, reference .. ' ' .. A_holder) then
  return {'interaction_claimed', string.format('%d', held - now)}
end
if lease > 0 then
  hold(reference, A_holder, now + lease)
  return {'claimed', string.format('%d', now + lease)}
end
if held then
  redis.call('ZREM', K_claims, reference)
  redis.call('ZREM', K_holders, reference .. ' ' .. A_holder)
  tell_watchers(redis.call('HGET', K_tenant, 'watch'))
end
return {'released'}
