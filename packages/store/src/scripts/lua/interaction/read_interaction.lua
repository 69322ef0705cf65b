#!lua flags=allow-oom
-- READ_INTERACTION: an interaction in whatever status, with its request; read by its owner, the time for its answer begins, where it has one of its own.
-- Returns: {'interaction_not_found'}, or {'ok', {program, principal, waits, answered, ended, request, last_claim, until, client}}: request
--          is false where the task never opened it, until where no claim lasts
if not visible_owner(A_principal, A_scopes) then return {'interaction_not_found'} end
local interaction = redis.call(
  'HMGET', K_task, F_program, F_principal, F_waits, F_answered .. A_number, F_ended .. A_number, F_request .. A_number, F_last_claim .. A_number,
  F_summary .. A_number, F_expires_at, F_client)
local client, expires_at, summary = table.remove(interaction), table.remove(interaction), table.remove(interaction)
if not interaction[6] then interaction[6] = redis.call('HGET', K_past, F_request .. A_number) end
local now = clock()
local within = answer_time_in(summary)
local waits = within and interaction[2] == A_principal and parse_waits(interaction[3])
local wait = waits and find_interaction(waits, A_number)
if wait and start_answer_time(wait, within, now) then
  interaction[3] = format_waits(waits)
  redis.call('HSET', K_task, F_waits, interaction[3])
  set_deadline(first_deadline(waits, tonumber(expires_at)))
end
local claimed_until = interaction[7] and lease_end_of(A_ref .. '.' .. A_number .. '|' .. interaction[2], now)
interaction[8] = claimed_until and string.format('%d', claimed_until) or false
interaction[9] = client
return {'ok', interaction}
