-- Reads what a replay needs of a task, which is all but the fields of single interactions: as a record, as
-- {0, 0, field, value, ...} with places for its fence and its tries, and how many bytes the values have.
local function read_record(task_key)
  local fields = {}
  for _, field in ipairs(redis.call('HKEYS', task_key)) do
    if not string.find(field, F_of_interactions) then fields[#fields + 1] = field end
  end
  local record, segment, bytes = {}, {0, 0}, 0
  -- unpack holds some thousands of values at most
  for from = 1, #fields, 2000 do
    local to = math.min(from + 1999, #fields)
    for at, value in ipairs(redis.call('HMGET', task_key, unpack(fields, from, to))) do
      local field = fields[from + at - 1]
      record[field] = value
      segment[#segment + 1] = field
      segment[#segment + 1] = value
      bytes = bytes + #value
    end
  end
  return record, segment, bytes
end

-- Begins a segment of a task for job `number`: {fence, tries, field, value, ...} behind a new fence, and its bytes.
-- False when the task has ended or is gone. tries counts the segments begun since the task last parked: one that kills
-- its worker each time must end, not circle. Needs task_status.
local function begin_segment(task_key, number)
  local record, segment, bytes = read_record(task_key)
  local status = record[F_status]
  if not status or has_ended(status) then return false, 0 end
  local fence, tries = (record[F_fence] or 0) + 1, (record[F_tries] or 0) + 1
  redis.call('HSET', task_key, F_fence, fence, F_tries, tries, F_queue, number)
  segment[1], segment[2] = fence, tries
  return segment, bytes
end
