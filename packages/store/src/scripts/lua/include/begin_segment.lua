-- How often the tenant's agents have changed: with it a worker knows whether it has read them as they are now.
local function agent_revision() return redis.call('HGET', K_tenant, 'agentChanges') or '0' end

-- Begins a segment of a task for job `number`, behind a new fence: {fence, tries, whole, field, value, ...}, and its bytes. whole
-- 1: these are all fields that a replay needs. whole 0, of a large task and only where `large` allows it: those that must be read
-- together with the fence; the rest, which only grows while the segment runs, is read in pages. False when the task has
-- ended or is gone, nil when it is large and may not be. tries counts the segments begun since the task last parked: one
-- that kills its worker each time must end, not circle.
local function begin_segment(task_key, number, large)
  local segment = {0, 0, 1}
  local record, bytes = read_small_task(task_key, segment)
  if not record then
    if not large then return nil, 0 end
    local fields = {F_status, F_fence, F_tries, F_program, F_principal, F_waits, F_events, F_interactions_opened}
    segment, record, bytes = {0, 0, 0}, {}, 0
    for at, value in ipairs(redis.call('HMGET', task_key, unpack(fields))) do
      record[fields[at]] = value
      -- One that is absent is left out: an empty count of events is not 0.
      if value then
        segment[#segment + 1] = fields[at]
        segment[#segment + 1] = value
      end
    end
  end
  local status = record[F_status]
  if not status or has_ended(status) then return false, 0 end
  segment[1], segment[2] = (record[F_fence] or 0) + 1, (record[F_tries] or 0) + 1
  redis.call('HSET', task_key, F_fence, segment[1], F_tries, segment[2], F_queue, number)
  return segment, bytes
end
