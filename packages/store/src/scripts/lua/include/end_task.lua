-- Ends a task, whatever ends it: what is open is cancelled or expired (`interaction_end`), its places in the indexes go,
-- its record stays readable for the retention time. The fence moves, so a segment that still runs can write nothing more.
-- `task`: its fields fence, waits, principal, events, waiters, queue, program and bytes. Returns the job to add, or ''.
-- Needs deferred_writes, storage, retention, ready_queue, waits, task_waiters and change_feed.
local function end_task(task, now, status, payload, interaction_end)
  -- Empty reads as absent, and costs no HDEL.
  local fields = {
    F_status, status, F_outcome, payload, F_updated_at, now, F_fence, (task.fence or 0) + 1,
    F_waits, '', F_waiters, '', F_queue, '',
  }
  local references, grown = {}, #payload
  for _, wait in ipairs(parse_waits(task.waits)) do
    if wait.number > 0 then
      references[#references + 1] = A_ref .. '.' .. wait.number .. '|' .. task.principal
      local ended = string.format('%s;%d', interaction_end, now)
      add_pair(fields, F_ended .. wait.number, ended)
      grown = grown + #ended + W_ended
    end
  end
  local bytes_now = task.bytes and add_bytes(task.bytes, grown, parse_bytes(task.bytes) + grown)
  if bytes_now then add_pair(fields, F_bytes, bytes_now) end
  write_all('HSET', K_task, fields)
  write_all('ZREM', K_pending, references)
  write_all('ZREM', K_claims, references)
  count_for_tenant('open', -1)
  defer_write('ZREM', K_deadlines, A_ref)
  local next_job = leave_queue(task.queue, task.program, now)
  -- Should nobody sweep for a day, the record leaves by itself.
  redis.call('PEXPIRE', K_task, A_retention + RETENTION_GRACE)
  retain_task(now)
  notify_task_waiters(task.waiters, A_topic, task.events or '0', status, payload)
  publish_task_change(task.principal, #references > 0)
  return next_job
end
