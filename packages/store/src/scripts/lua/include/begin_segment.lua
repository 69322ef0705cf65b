-- What a replay needs of a task, which is not the requests, their answers' fingerprints and the result: as a record, as
-- {0, 0, field, value, ...} with places for its fence and its tries, and how many bytes the values have.
local function read_task(key)
  local fields = {}
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if not string.find(field, '^[cigx]%d') then fields[#fields + 1] = field end
  end
  local record, task, bytes = {}, {0, 0}, 0
  -- unpack holds some thousands of values at most
  for from = 1, #fields, 2000 do
    local to = math.min(from + 1999, #fields)
    for at, value in ipairs(redis.call('HMGET', key, unpack(fields, from, to))) do
      local field = fields[from + at - 1]
      record[field] = value
      task[#task + 1] = field
      task[#task + 1] = value
      bytes = bytes + #value
    end
  end
  return record, task, bytes
end

-- Begins a segment of a task for job `number`: {fence, tries, field, value, ...} behind a new fence, and its bytes.
-- False when the task has ended or is gone. tries counts the segments begun since the task last parked: one that kills
-- its worker each time must end, not circle.
local function begin_task(key, number)
  local record, task, bytes = read_task(key)
  local status = record.st
  if not status or status == 'completed' or status == 'failed' or status == 'cancelled' then return false, 0 end
  task[1], task[2] = (record.fe or 0) + 1, (record.tr or 0) + 1
  redis.call('HSET', key, 'fe', task[1], 'tr', task[2], 'q', number)
  return task, bytes
end
