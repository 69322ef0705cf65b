-- The owner of K_task if this caller may end the task, or take back what it waits for: the principal that started it, and whoever has
-- `scope`. Otherwise nil and the refusal: that the scope is missing for who may see the task, `hidden` for all others, for whom it does not
-- exist.
local function owner_to_end(principal, scopes, scope, hidden)
  local owner = redis.call('HGET', K_task, F_principal)
  if owner == principal or (owner and string.find(scopes, ' ' .. scope .. ' ', 1, true)) then return owner end
  if may_see(owner, principal, scopes) then return nil, {'insufficient_scope', scope} end
  return nil, {hidden}
end
