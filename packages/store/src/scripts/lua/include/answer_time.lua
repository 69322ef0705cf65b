-- A request with a limit of its own is due so many ms from when it is first shown, unless it is due earlier.

-- That limit, by the request's summary as PARK is given it or as the task's field has it, or nil.
local function answer_time_in(summary)
  return tonumber(string.match(summary or '', '^[^"]-;%d+@[^;@"]*@(%d+);"'))
end

-- Starts the time of one of the waits; true when it is due earlier by that. The caller writes the waits and the deadline.
local function start_answer_time(wait, within, now)
  local due = now + within
  if due >= wait.due then return false end
  wait.due = due
  return true
end
