-- The owner if this caller may end what is the owner's: the principal that it is, and whoever has `scope`. Otherwise nil and the refusal:
-- that the scope is missing for who may see it, `hidden` for all others, for whom it does not exist.
local function may_end(owner, principal, scopes, scope, hidden)
  if owner == principal or (owner and string.find(scopes, ' ' .. scope .. ' ', 1, true)) then return owner end
  if may_see(owner, principal, scopes) then return nil, {'insufficient_scope', scope} end
  return nil, {hidden}
end

-- The same of K_task: to end the task, or to take back what it waits for.
local function owner_to_end(principal, scopes, scope, hidden)
  local owner = redis.call('HGET', K_task, F_principal)
  return may_end(owner, principal, scopes, scope, hidden)
end
