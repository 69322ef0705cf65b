-- A call that was admitted before goes on: may it still? Runs inside the script of what the call is given, so that nothing is
-- read, claimed, subscribed to or waited for with a key that has ended meanwhile. The rate counts nothing.
-- An empty A_digest means that there is no key: the operator, or Baton itself.
-- Returns a refusal, or nil, the principal, the scopes, and in how many ms the key expires, '' for never.
local function recheck_admission(now)
  if A_digest == '' then return nil, A_principal, A_scopes, '' end
  local refusal, principal, scopes, expires_in = check_credential(now)
  if refusal then return refusal end
  local suspended = redis.call('HGET', K_tenant, 'suspended')
  if not suspended then return {'unauthenticated'} end
  if suspended == '1' then return {'tenant_suspended'} end
  return nil, principal, scopes, expires_in
end
