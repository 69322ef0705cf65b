-- Reads all fields of a task but those of single interactions, which are most of its size. Appends them to `list` as field,
-- value, ... and returns them as a record too, and how many bytes the values have.
local function read_task_fields(task_key, list)
  local fields = {}
  for _, field in ipairs(redis.call('HKEYS', task_key)) do
    if not string.find(field, F_of_interactions) then fields[#fields + 1] = field end
  end
  local record, bytes = {}, 0
  -- unpack holds some thousands of values at most
  for from = 1, #fields, 2000 do
    local to = math.min(from + 1999, #fields)
    for at, value in ipairs(redis.call('HMGET', task_key, unpack(fields, from, to))) do
      local field = fields[from + at - 1]
      record[field] = value
      list[#list + 1] = field
      list[#list + 1] = value
      bytes = bytes + #value
    end
  end
  return record, bytes
end
