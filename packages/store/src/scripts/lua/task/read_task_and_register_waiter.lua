#!lua flags=allow-oom
-- READ_TASK_AND_REGISTER_WAITER: a task's state, with what it waits for; registers the replica that waits for a change.
-- Arguments: pending: of what it waits for, 'first' gives the first LLM request whole and the summaries of the others, 'summaries' the
--            summaries of all, 'none' nothing
-- Returns: {'task_not_found'}, a refusal of ADMIT, or {'ok', expiresInMs, caller, {status, principal, program, created_at,
--          updated_at, expires_at, events_seen, outcome, usage, streams, limit, paused_until}, number, due, request, summary, ...} with the last four for each open
--          interaction: request, or summary in its place; streams: the numbers of those that a worker asks an LLM endpoint
--          for in chunks, separated by spaces; limit: that within which it waits for room, or ''; paused_until: when the first
--          pause ends of a task that works, or ''
local refusal, principal, scopes, _, expires_in = admit(clock())
if refusal then return refusal end
if not visible_owner(principal, scopes) then return {'task_not_found'} end
local task = redis.call(
  'HMGET', K_task, F_status, F_principal, F_program, F_created_at, F_updated_at, F_expires_at, F_events_seen, F_outcome,
  F_usage, F_waits, F_waiters)
local waiters, open = table.remove(task), table.remove(task)
local status = task[1]
local reply, streams, limit, paused_until = {'ok', expires_in, principal, task}, {}, '', nil
local in_short = A_pending == 'summaries'
for _, wait in ipairs(A_pending == 'none' and {} or parse_waits(open)) do
  if wait.number == 0 then
    if wait.kind ~= 'sleep' then limit = wait.kind end
    paused_until = math.min(paused_until or wait.due, wait.due)
  elseif wait.kind ~= 'provider' then
    reply[#reply + 1] = wait.number
    reply[#reply + 1] = string.format('%d', wait.due)
    local summary = in_short and redis.call('HGET', K_task, F_summary .. wait.number)
    reply[#reply + 1] = not summary and redis.call('HGET', K_task, F_request .. wait.number)
    reply[#reply + 1] = summary
    in_short = true
  elseif asks_stream(redis.call('HGET', K_task, F_summary .. wait.number)) then
    streams[#streams + 1] = wait.number
  end
end
task[10], task[11] = table.concat(streams, ' '), limit
task[12] = status == 'working' and paused_until and string.format('%d', paused_until) or ''
if not has_ended(status) then
  local field, value = added_waiter(waiters, A_channel)
  if field then redis.call('HSET', K_task, F_waiters, value) end
end
return reply
