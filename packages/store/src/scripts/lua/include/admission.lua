-- Places in the tenant's fields as admit reads them: the rate bucket, and behind it what the script asks for.
local TOKENS, FILLED, FIRST_NAMED = 5, 6, 7

-- Admission: who calls, and may they now? Runs inside the script of the call itself, so that a credential that is
-- revoked, a tenant that is suspended and a limit that is reached count from the next call on, on every replica.
-- An empty A_digest means that there is no key: it is the operator.
-- A_floor is how far into debt the bucket may be: 0 for calls, below for answers, since someone paid for those. It is empty
-- where an earlier script of the same request admitted the caller: the key is checked again, and the request not counted.
-- Returns a refusal, or nil, the principal, the scopes, the tenant's fields that were named, and in how many ms the key
-- expires, '' for never. One read of the tenant serves the script too, and all calls of a batch; whoever changes one of
-- these fields changes it there as well. Needs credential.
local function admit(now, ...)
  local named = {...}
  local name_of_fields = 'fields of ' .. K_tenant
  if A_digest == '' then
    if #named > 0 then cache[name_of_fields] = cache[name_of_fields] or redis.call('HMGET', K_tenant, ...) end
    return nil, A_principal, A_scopes, cache[name_of_fields], ''
  end
  local refusal, principal, scopes, expires_in = check_credential(now)
  if refusal then return refusal end
  local tenant = cache[K_tenant] or redis.call('HMGET', K_tenant, 'suspended', 'requestsPerSecond', 'burst', 'requestBytes', 'tokens', 'filled', ...)
  local suspended, rate, burst, request_bytes = unpack(tenant, 1, 4)
  if not rate then return {'unauthenticated'} end
  if suspended == '1' then return {'tenant_suspended'} end
  if A_floor ~= '' then
    if tonumber(A_bytes) > tonumber(request_bytes) then return {'limit_size', 'requestBytes', A_bytes, request_bytes} end
    rate, burst = tonumber(rate), tonumber(burst)
    local tokens, filled = tonumber(tenant[TOKENS] or burst), tonumber(tenant[FILLED] or now)
    tokens = math.min(burst, tokens + math.max(0, now - filled) * rate / 1000)
    local least = 1 + tonumber(A_floor) * burst
    if tokens < least then return {'limit_rate', math.ceil((least - tokens) * 1000 / rate)} end
    if not cache[K_tenant] then
      cache[K_tenant] = tenant
      local key = K_tenant
      deferred_writes[#deferred_writes + 1] = function() redis.call('HSET', key, 'tokens', tenant[TOKENS], 'filled', tenant[FILLED]) end
    end
    tenant[TOKENS], tenant[FILLED] = tokens - 1, now
    note_use(now)
  end
  for at = 1, #named do named[at] = tenant[FIRST_NAMED - 1 + at] end
  cache[name_of_fields] = cache[name_of_fields] or named
  return nil, principal, scopes, cache[name_of_fields], expires_in
end
