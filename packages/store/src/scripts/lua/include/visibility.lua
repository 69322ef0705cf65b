-- Who may see a task and what it waits for: the principal that started it, and whoever has the scope `agent`. For all
-- others it does not exist. `owner` is false where there is no such task.
local function may_see(owner, principal, scopes)
  return owner and (owner == principal or string.find(scopes, ' agent ', 1, true))
end

-- The owner of K_task if this caller may see the task, or nil. Asked before anything else of the task is read or written:
-- what is another's takes the same commands as what does not exist, so that no caller can tell them apart by time.
local function visible_owner(principal, scopes)
  local owner = redis.call('HGET', K_task, F_principal)
  if may_see(owner, principal, scopes) then return owner end
end
