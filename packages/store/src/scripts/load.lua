#!lua flags=allow-oom
-- LOAD: hands the leased tasks to the one who will run their segments, each behind a new fence.
-- KEYS: leased task...
-- ARGV: member...
-- Returns: for each task false (it ended or is gone, and its lease with it; or its lease went to another), or {fence, tries, field, value, ...}
--          with everything that a replay needs, which is not the requests, their answers' fingerprints and the result
-- tries counts the segments begun since the task last parked: one that kills its worker each time must end, not circle.
local reply = {}
for index = 2, #KEYS do
  local key = KEYS[index]
  local leased = redis.call('ZSCORE', K_leased, ARGV[index - 1])
  local fields = {}
  for _, field in ipairs(leased and redis.call('HKEYS', key) or {}) do
    if not string.find(field, '^[cigx]%d') then fields[#fields + 1] = field end
  end
  local task, record = {0, 0}, {}
  -- unpack holds some thousands of values at most
  for from = 1, #fields, 2000 do
    local to = math.min(from + 1999, #fields)
    for at, value in ipairs(redis.call('HMGET', key, unpack(fields, from, to))) do
      local field = fields[from + at - 1]
      record[field] = value
      task[#task + 1] = field
      task[#task + 1] = value
    end
  end
  local status = record.st
  if not status or status == 'completed' or status == 'failed' or status == 'cancelled' then
    redis.call('ZREM', K_leased, ARGV[index - 1])
    reply[index - 1] = false
  else
    task[1], task[2] = (record.fe or 0) + 1, (record.tr or 0) + 1
    redis.call('HSET', key, 'fe', task[1], 'tr', task[2])
    reply[index - 1] = task
  end
end
return reply
