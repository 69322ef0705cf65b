-- Begins a segment of a task for job `number`: {fence, tries, field, value, ...} behind a new fence, and its bytes.
-- False when the task has ended or is gone. tries counts the segments begun since the task last parked: one that kills
-- its worker each time must end, not circle. Needs task_status and task_fields.
local function begin_segment(task_key, number)
  -- A replay needs no fields of single interactions.
  local segment = {0, 0}
  local record, bytes = read_task_fields(task_key, segment)
  local status = record[F_status]
  if not status or has_ended(status) then return false, 0 end
  local fence, tries = (record[F_fence] or 0) + 1, (record[F_tries] or 0) + 1
  redis.call('HSET', task_key, F_fence, fence, F_tries, tries, F_queue, number)
  segment[1], segment[2] = fence, tries
  return segment, bytes
end
