#!lua flags=allow-oom
-- EXPIRE: gives a task what has fallen due by Redis's clock: its own deadline, an interaction's, a sleep's end. Called for
-- what LIST_DUE_TASKS found; early or repeated calls change nothing.
-- Arguments: expired: the error of an interaction, with <number> for the end of its id
-- Returns: {'gone', next}, {'ended', next, unanswered, principal, program}, {'due', next, unanswered} or {'early'}: next is the job to add, as "number list", or '';
--          unanswered: see unanswered_waits.lua;
--          {'parent', parent} for a step of a workflow whose record was not given
-- Transitions: task working -> failed, task input_required -> failed, task input_required -> working,
--              interaction pending -> expired
-- At so many pending interactions it looks for those of a task that is gone.
local MOST_LOOKED_AT = 500
local task, expires = read_task_to_end(F_expires_at)
local now = clock()
if not task.status then
  -- Its record is gone before its time: what counted it gives its place back.
  if redis.call('ZREM', K_deadlines, A_ref) == 0 then return {'gone', ''} end
  count_for_tenant('open', -1)
  redis.call('ZREM', K_ready, A_ref)
  -- It is older than any task that is there, and its interactions are among the oldest. One that is not is trimmed by OPEN when no
  -- record of its age is left.
  local references = {}
  for _, reference in ipairs(redis.call('ZRANGE', K_pending, 0, MOST_LOOKED_AT - 1)) do
    if string.sub(reference, 1, #A_ref + 1) == A_ref .. '.' then references[#references + 1] = reference end
  end
  write_all('ZREM', K_pending, references)
  write_all('ZREM', K_claims, references)
  return {'gone', ''}
end
if has_ended(task.status) then
  redis.call('ZREM', K_deadlines, A_ref)
  return {'gone', ''}
end
local expires_at = tonumber(expires)
if expires_at <= now then
  local elsewhere = refusal_without_parent(task.parent)
  if elsewhere then return elsewhere end
  local unanswered = describe_unanswered(task.traceparent, parse_waits(task.waits), now)
  return {'ended', end_task(task, now, 'failed', A_taskExpired, 'expired'), unanswered, task.principal, task.program}
end

local waits, expired, due, fields, references, calls, grown = {}, {}, 0, {}, {}, {}, 0
for _, wait in ipairs(parse_waits(task.waits)) do
  if wait.due > now then
    waits[#waits + 1] = wait
  else
    due = due + 1
    expired[due] = wait
    local problem = string.gsub(A_expired, '<number>', string.format('%04x', wait.number))
    local entry = wait.number == 0 and 'sleep+null' or journal_kind(wait) .. '-' .. problem
    add_pair(fields, F_journal .. wait.path, entry)
    grown = grown + #entry + W_journal
    if wait.number > 0 then
      if wait.kind == 'provider' then
        calls[#calls + 1] = A_ref .. '.' .. wait.number
      else
        references[#references + 1] = A_ref .. '.' .. wait.number .. '|' .. task.principal
      end
      local ended = string.format('expired;%d', now)
      add_pair(fields, F_ended .. wait.number, ended)
      grown = grown + #ended + W_ended
    end
  end
end
set_deadline(first_deadline(waits, expires_at))
if due == 0 then return {'early'} end
add_pair(fields, F_bytes, add_bytes(task.bytes, grown))
local next_job = add_events(due, fields, waits, task.events, task.queue, now)
write_all('ZREM', K_pending, references)
write_all('ZREM', K_claims, references)
publish_task_change(task.principal, #references + #calls > 0)
return {'due', join_jobs(next_job, drop_calls(now, calls)), describe_unanswered(task.traceparent, expired, now)}
