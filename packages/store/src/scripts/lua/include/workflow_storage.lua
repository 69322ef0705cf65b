-- What a tenant's workflows take of what it stores: a recount begins with `workflowBytes`, and so they need no walk of their own.
-- Needs storage.

-- Of a stored version: its definition and the note of who stored it; 0 where there is none.
local function bytes_of_version(version)
  local length = redis.call('HSTRLEN', K_workflow, version)
  return length > 0 and length + redis.call('HSTRLEN', K_workflow, version .. ';by') + W_workflow_version or 0
end

local function count_workflow_bytes(by)
  count_for_tenant('workflowBytes', by)
  count_for_tenant('stored', by)
  if current_walk() then count_for_tenant('walked', by) end
end
