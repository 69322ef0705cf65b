-- Tells a task's program of so many events: `fields` of the record, which have their outcomes, are written with what it waits for
-- still, and it is put into the ready list, unless it stands in one or a segment runs right now, whose PARK sees events that it has not consumed.
-- Returns the job to add, as request_job.
local function add_events(count, fields, waits, events, queue, now)
  local queued = queue and queue ~= ''
  add_pair(fields, F_waits, format_waits(waits))
  add_pair(fields, F_status, status_of(waits))
  add_pair(fields, F_updated_at, now)
  add_pair(fields, F_events, (events or 0) + count)
  add_pair(fields, F_queue, queued and queue or 'ready')
  write_all('HSET', K_task, fields)
  return queued and '' or enqueue_task(now)
end
