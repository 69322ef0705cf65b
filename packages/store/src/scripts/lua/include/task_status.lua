-- MCP's status of a task that has not ended: does someone outside have to act?
local function status_of(waits)
  for _, wait in ipairs(waits) do
    if wait.number > 0 and wait.kind ~= 'provider' then return 'input_required' end
  end
  return 'working'
end

local function has_ended(status)
  return status == 'completed' or status == 'failed' or status == 'cancelled'
end
