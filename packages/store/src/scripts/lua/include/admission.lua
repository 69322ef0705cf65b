-- Place in the tenant's fields as authenticate reads them: behind those of rate is what the script asks for.
local FIRST_NAMED = 7

-- Who calls, and may they call at all? Runs inside the script of the call itself, so that a credential that is revoked and a
-- tenant that is suspended count from the next call on, on every replica. The rate is take_token's.
-- An empty A_digest means that there is no key: it is the operator. An empty A_floor means that an earlier script of the same
-- request admitted the caller: the key is checked again, and the request not counted.
-- Returns a refusal, or nil, the principal, the scopes, the tenant's fields that were named, and in how many ms the key
-- expires, '' for never. One read of the tenant serves the script too, and all calls of a batch; whoever changes one of
-- these fields changes it there as well.
local function authenticate(now, ...)
  local named = {...}
  local name_of_fields = 'fields of ' .. K_tenant
  if A_digest == '' then
    if #named > 0 then cache[name_of_fields] = cache[name_of_fields] or read_tenant(...) end
    return nil, A_principal, A_scopes, cache[name_of_fields], ''
  end
  local refusal, principal, scopes, expires_in = check_credential(now)
  if refusal then return refusal end
  local tenant = cache[K_tenant] or read_tenant('suspended', 'requestsPerSecond', 'burst', 'requestBytes', 'tokens', 'filled', ...)
  cache[K_tenant] = tenant
  local suspended, _, _, request_bytes = unpack(tenant, 1, 4)
  if not suspended then return {'unauthenticated'} end
  if suspended == '1' then return {'tenant_suspended'} end
  if A_floor ~= '' then
    if tonumber(A_bytes) > tonumber(request_bytes) then return {'limit_size', 'requestBytes', A_bytes, request_bytes} end
    note_use(now)
  end
  for at = 1, #named do named[at] = tenant[FIRST_NAMED - 1 + at] end
  cache[name_of_fields] = cache[name_of_fields] or named
  return nil, principal, scopes, cache[name_of_fields], expires_in
end

-- Admits a call: authenticates it, and takes its token of the rate. Returns as authenticate.
local function admit(now, ...)
  local refusal, principal, scopes, fields, expires_in = authenticate(now, ...)
  refusal = refusal or take_token(now, A_floor)
  if refusal then return refusal end
  return nil, principal, scopes, fields, expires_in
end
