-- The fields of a task but those of single interactions, which are most of its size and which no replay needs. A record may
-- hold thousands of fields and a journal of many MiB: one script reads a small record whole, or a page of any.

-- A record of more fields, those of interactions included, or of more bytes, without them, is large: it is read in pages.
local SMALL_FIELDS, SMALL_BYTES = 300, 131072
-- A page ends when it has passed so many fields, or so many bytes, those of interactions included.
local PAGE_FIELDS, PAGE_BYTES = 600, 262144

-- Whether a field's value may be long: input, outcome and journal.
local function may_be_long(field)
  return field == F_input or field == F_outcome or string.sub(field, 1, #F_journal) == F_journal
end

-- The fields of a small record, by their names and appended to `list` as field, value, ...; and its bytes. Nil for a large record,
-- which is measured before any value of it is read.
local function read_small_task(task_key, list)
  if redis.call('HLEN', task_key) > SMALL_FIELDS then return end
  local fields, bytes = {}, 0
  for _, field in ipairs(redis.call('HKEYS', task_key)) do
    if not string.find(field, F_of_interactions) then
      fields[#fields + 1] = field
      if may_be_long(field) then bytes = bytes + redis.call('HSTRLEN', task_key, field) end
      if bytes > SMALL_BYTES then return end
    end
  end
  local record = {}
  if #fields == 0 then return record, 0 end
  for at, value in ipairs(redis.call('HMGET', task_key, unpack(fields))) do
    record[fields[at]] = value
    list[#list + 1] = fields[at]
    list[#list + 1] = value
  end
  return record, bytes
end

-- The next page of a record, appended to `list` in the same way; returns the cursor of the page behind it, '0' at the end.
-- What stands in the record from the first page to the last is on one of them at least.
local function scan_task_fields(task_key, cursor, list)
  local passed, bytes, step = 0, 0, 1
  repeat
    local found
    cursor, found = unpack(redis.call('HSCAN', task_key, cursor, 'COUNT', step))
    local step_bytes = 0
    for at = 1, #found, 2 do
      step_bytes = step_bytes + #found[at + 1]
      if not string.find(found[at], F_of_interactions) then
        list[#list + 1] = found[at]
        list[#list + 1] = found[at + 1]
      end
    end
    passed, bytes = passed + #found / 2, bytes + step_bytes
    -- One look may come upon many long values: a few at a time where they are long.
    step = step_bytes < 16384 and math.min(step * 2, 16) or 1
  until cursor == '0' or passed >= PAGE_FIELDS or bytes >= PAGE_BYTES
  return cursor
end
