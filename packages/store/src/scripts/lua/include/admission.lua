-- Admission: who calls, and may they now? Runs inside the script of the call itself, so that a credential that is
-- revoked, a tenant that is suspended and a limit that is reached count from the next call on, on every replica.
-- An empty A_digest means that an earlier script of the same request admitted the caller, or that it is the operator.
-- A_floor is how far into debt the bucket may be: 0 for calls, below for answers, since someone paid for those.
-- Returns a refusal, or nil, the principal, the scopes, and the tenant's fields that were named: one look at the tenant
-- serves the script too, and all runs of a group; whoever changes one of these fields changes it there as well.
local function admit(now, ...)
  local named = {...}
  local fields = 'fields of ' .. K_tenant
  if A_digest == '' then
    if #named > 0 then cache[fields] = cache[fields] or redis.call('HMGET', K_tenant, ...) end
    return nil, A_principal, A_scopes, cache[fields]
  end
  local key = cache[K_credential] or redis.call('HMGET', K_credential, 'digest', 'principal', 'scopes', 'expires')
  cache[K_credential] = key
  if key[1] ~= A_digest or (key[4] and tonumber(key[4]) <= now) then return {'unauthenticated'} end
  local allowed = false
  for scope in string.gmatch(A_need, '%S+') do
    if string.find(key[3], ' ' .. scope .. ' ', 1, true) then allowed = true end
  end
  if not allowed then return {'insufficient_scope', A_need} end
  local tenant = cache[K_tenant] or redis.call('HMGET', K_tenant, 'suspended', 'requestsPerSecond', 'burst', 'requestBytes', 'tokens', 'filled', ...)
  if not tenant[2] then return {'unauthenticated'} end
  if tenant[1] == '1' then return {'tenant_suspended'} end
  if tonumber(A_bytes) > tonumber(tenant[4]) then return {'limit_size', 'requestBytes', A_bytes, tenant[4]} end
  local rate, burst = tonumber(tenant[2]), tonumber(tenant[3])
  local tokens, filled = tonumber(tenant[5] or burst), tonumber(tenant[6] or now)
  tokens = math.min(burst, tokens + math.max(0, now - filled) * rate / 1000)
  local least = 1 + tonumber(A_floor) * burst
  if tokens < least then return {'limit_rate', math.ceil((least - tokens) * 1000 / rate)} end
  if not cache[K_tenant] then
    cache[K_tenant] = tenant
    local key_of_tenant = K_tenant
    deferred_writes[#deferred_writes + 1] = function() redis.call('HSET', key_of_tenant, 'tokens', tenant[5], 'filled', tenant[6]) end
  end
  tenant[5], tenant[6] = tokens - 1, now
  for at = 1, #named do named[at] = tenant[6 + at] end
  cache[fields] = cache[fields] or named
  return nil, key[2], key[3], cache[fields]
end
