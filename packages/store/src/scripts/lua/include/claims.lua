-- Who has claimed which pending interaction, and until when: K_claims says of each that it is claimed, K_holder what one holder
-- has claimed; both by the end of the lease. The task's field `last_claim` says who claimed it last, whether the claim lasts or
-- not. A claim hides from other claims, never from ACCEPT_ANSWER, and is its holder's until its lease ends: nobody else renews
-- or ends it. The end of an interaction takes it out of K_claims; the set of its holder forgets it when the lease is over.
-- Either set ends with the last lease in it.

-- The member of K_holder that stands there, until its score, while its holder is given no claims.
local RELEASED = ''

-- When the lease of a claim ends, or nil where nobody has claimed it now.
local function lease_end_of(reference, now)
  local lease_end = tonumber(redis.call('ZSCORE', K_claims, reference) or 0)
  if lease_end > now then return lease_end end
end

-- Whether the holder has claimed it now: what it had claimed before may be another's.
local function is_holder(reference, now)
  return tonumber(redis.call('ZSCORE', K_holder, reference) or 0) > now
end

-- The field `last_claim`: the claimer is its principal, and the name that it gave itself behind a space.
local function format_claim(now, claimer) return string.format('%d;', now) .. claimer end

-- The set lives until the last lease in it ends.
local function expire_with_last_lease(key)
  local _, last = unpack(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES'))
  redis.call('PEXPIREAT', key, last)
end

-- Claims interactions for the holder: `claimed` is lease end, reference, ...
local function set_claims(now, claimed)
  for from = 1, #claimed, 2000 do
    local to = math.min(from + 1999, #claimed)
    redis.call('ZADD', K_claims, unpack(claimed, from, to))
    redis.call('ZADD', K_holder, unpack(claimed, from, to))
  end
  trim(K_claims, now)
  trim(K_holder, now)
  expire_with_last_lease(K_claims)
  expire_with_last_lease(K_holder)
end
