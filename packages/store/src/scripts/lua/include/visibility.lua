-- Who may see a task and what it waits for: the principal that started it, and whoever has the scope `agent`. For all
-- others it does not exist. `owner` is false where there is no such task.
local function may_see(owner, principal, scopes)
  return owner and (owner == principal or string.find(scopes, ' agent ', 1, true))
end
