-- How seldom the time at which a key was last used is written, in ms.
local USED_EVERY = 600000

-- Is this what A_digest says that the record of the key holds? A_digest is the digest of the key by the deployment's secret. While
-- that is being changed there are others behind it: the id of the secret, and the digests by the secrets before it.
local function is_digest(stored)
  if not stored or stored == A_digest then return stored end
  local place = 0
  for one in string.gmatch(A_digest, '%S+') do
    place = place + 1
    if one == stored and place ~= 2 then return true end
  end
end

-- Who holds the key of a call, and may that key still be used for it? Returns a refusal, or nil, the principal,
-- the scopes, and in how many ms by Redis's clock the key expires, '' for never.
local function check_credential(now)
  local credential = cache[K_credential] or redis.call('HMGET', K_credential, 'digest', 'principal', 'scopes', 'expires', 'used', 'tools')
  cache[K_credential] = credential
  local digest, principal, scopes, expires = unpack(credential, 1, 4)
  if not is_digest(digest) or (expires and tonumber(expires) <= now) then return {'unauthenticated'} end
  for scope in string.gmatch(A_need, '%S+') do
    if string.find(scopes, ' ' .. scope .. ' ', 1, true) then
      return nil, principal, scopes, expires and string.format('%d', expires - now) or ''
    end
  end
  return {'insufficient_scope', A_need}
end

-- What the call's key lists of the tools: names and tiers with blanks between them, '' where it selects nothing. Once check_credential has passed.
local function listed_tools()
  local credential = A_digest ~= '' and cache[K_credential]
  return credential and credential[6] or ''
end

-- Notes that the key is used now, unless it was noted shortly before. A record that was hashed with a secret before the current one is
-- hashed with the current one from now on: only who shows the key can do that.
local function note_use(now)
  local credential, key = cache[K_credential], K_credential
  local current, secret = string.match(A_digest, '^(%S+) (%S+)')
  if current == credential[1] then current = nil end
  if not current and now - tonumber(credential[5] or 0) < USED_EVERY then return end
  credential[5] = now
  credential[1] = current or credential[1]
  deferred_writes[#deferred_writes + 1] = function()
    if current then redis.call('HSET', key, 'used', now, 'digest', current, 'secret', secret)
    else redis.call('HSET', key, 'used', now) end
  end
end
