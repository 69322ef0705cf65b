-- The requests of a traced task that end without an answer, for the spans of their waits. Of more, the rest have none.
local MOST_TRACED = 100

-- `waits` are those that end. Returns "<traceparent> <number>;<ms that it waited> ...", '' where there is none or the task is not traced.
local function describe_unanswered(traceparent, waits, now)
  if not traceparent or traceparent == '' then return '' end
  local parts = {traceparent}
  for _, wait in ipairs(waits) do
    if #parts > MOST_TRACED then break end
    if wait.number > 0 and wait.kind ~= 'provider' then
      local created = string.match(redis.call('HGET', K_task, F_summary .. wait.number) or '', '^%d+')
      if created then parts[#parts + 1] = string.format('%d;%d', wait.number, now - created) end
    end
  end
  return #parts > 1 and table.concat(parts, ' ') or ''
end
