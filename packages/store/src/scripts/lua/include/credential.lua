-- How seldom the time at which a key was last used is written, in ms.
local USED_EVERY = 600000

-- Who holds the key of a call, and may that key still be used for it? Needs clock. Returns a refusal, or nil, the principal,
-- the scopes, and in how many ms by Redis's clock the key expires, '' for never.
local function check_credential(now)
  local credential = cache[K_credential] or redis.call('HMGET', K_credential, 'digest', 'principal', 'scopes', 'expires', 'used')
  cache[K_credential] = credential
  local digest, principal, scopes, expires = unpack(credential, 1, 4)
  if digest ~= A_digest or (expires and tonumber(expires) <= now) then return {'unauthenticated'} end
  for scope in string.gmatch(A_need, '%S+') do
    if string.find(scopes, ' ' .. scope .. ' ', 1, true) then
      return nil, principal, scopes, expires and string.format('%d', expires - now) or ''
    end
  end
  return {'insufficient_scope', A_need}
end

-- Notes that the key is used now, unless it was noted shortly before.
local function note_use(now)
  local credential, key = cache[K_credential], K_credential
  if now - tonumber(credential[5] or 0) < USED_EVERY then return end
  credential[5] = now
  deferred_writes[#deferred_writes + 1] = function() redis.call('HSET', key, 'used', now) end
end
