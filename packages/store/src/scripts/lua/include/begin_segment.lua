-- Begins a segment of a task for job `number`, behind a new fence: {fence, tries, whole, field, value, ...}, and its bytes. whole
-- 1: these are all fields that a replay needs. whole 0, of a large task and only where `large` allows it: those that must be read
-- together with the fence; the rest, which only grows while the segment runs, is read in pages. False when the task has
-- ended or is gone, nil when it is large and may not be. tries counts the segments begun since the task last parked: one
-- that kills its worker each time must end, not circle. Needs task_status and task_fields.
local function begin_segment(task_key, number, large)
  local status, fence, tries = unpack(redis.call('HMGET', task_key, F_status, F_fence, F_tries))
  if not status or has_ended(status) then return false, 0 end
  fence, tries = (fence or 0) + 1, (tries or 0) + 1
  local segment = {fence, tries, 1}
  local bytes = read_small_task(task_key, segment)
  if not bytes then
    if not large then return nil, 0 end
    local fields = {F_program, F_principal, F_waits, F_events, F_interactions_opened}
    segment = {fence, tries, 0}
    for at, value in ipairs(redis.call('HMGET', task_key, unpack(fields))) do
      segment[#segment + 1] = fields[at]
      segment[#segment + 1] = value or ''
    end
    bytes = 0
  end
  redis.call('HSET', task_key, F_fence, fence, F_tries, tries, F_queue, number)
  return segment, bytes
end
