-- What a waiter shows of a task that has parked, as READ_TASK_AND_REGISTER_WAITER would reply it: JSON of
-- {program, principal, at, pending: [[number, due, request or null, summary], ...]}, the first request whole and of the others the
-- summary. `waits` are all that the task waits for, and their requests stand in ARGV from `from` on; the time for an answer of the one that
-- is shown whole begins. '' where a worker makes one of the calls: that is to be read.
local function parked_message(program, principal, now, waits, from)
  local pending, whole = {}, false
  for place, wait in ipairs(waits) do
    if wait.kind == 'provider' then return '' end
    if wait.number > 0 then
      local at = from + (place - 1) * WAIT_ARGS
      local request, summary = ARGV[at + 3], ARGV[at + 4]
      local within = not whole and answer_time_in(summary)
      if within then start_answer_time(wait, within, now) end
      pending[#pending + 1] = string.format('[%d,%d,', wait.number, wait.due) .. (whole and 'null' or request) .. ','
        .. (whole and cjson.encode(summary) or '""') .. ']'
      whole = true
    end
  end
  return string.format('{"program":%s,"principal":%s,"at":%d,"pending":[', cjson.encode(program), cjson.encode(principal), now)
    .. table.concat(pending, ',') .. ']}'
end
