-- The rate of a tenant, and of it the share of each key. The tenant's bucket holds `burst` tokens and refills with
-- requestsPerSecond. A key's share is that rate divided by the keys that are active: those that have used some of theirs
-- and not got it back. Sorted set K_rates: the id of each active key, by the time at which its share is whole again.
-- Within its share a key is admitted whatever others have used; beyond it as long as more than half of the burst is left.
-- A tenant's only active key has all of the rate: its share and the bucket run dry together.
-- A request takes one token, and another for each BYTES_PER_TOKEN of A_weight, the bytes of its body or more where it has many
-- values: handling it holds up everyone of its gateway.
-- It is admitted where one token is left; what it takes beyond that is refilled before the next.

-- Places in the tenant's fields as authenticate reads them (admission).
local RATE, BURST, TOKENS, FILLED = 2, 3, 5, 6

-- How many bursts the tenant's bucket may be overdrawn by calls and answers within the shares of keys: a bound for many
-- keys that begin at once. What is overdrawn is refilled before anyone is admitted beyond a share.
local MOST_OVERDRAWN = 20

local BYTES_PER_TOKEN = 16384

-- The share of the calling key, for all calls of the batch: {id, ends, keys}; keys.active counts the caller too.
local function read_share(now)
  local id = string.match(K_credential, '[^:]+$')
  local name = 'share ' .. K_rates .. ' ' .. id
  local share = cache[name]
  if not share then
    local keys = cache[K_rates]
    if not keys then
      keys = {active = redis.call('ZCOUNT', K_rates, string.format('(%d', now), '+inf')}
      cache[K_rates] = keys
    end
    share = {id = id, ends = tonumber(redis.call('ZSCORE', K_rates, id) or 0), keys = keys}
    if share.ends <= now then keys.active = keys.active + 1 end
    cache[name] = share
  end
  return share
end

-- Writes the share once, behind the last call. Shares that are whole again leave, and the set ends with the last of them.
local function write_share(share, now, lifetime)
  if share.written then return end
  share.written = true
  local key = K_rates
  deferred_writes[#deferred_writes + 1] = function()
    if redis.call('ZADD', key, share.ends, share.id) == 0 and now % 64 > 0 then return end
    trim(key, now)
    redis.call('PEXPIRE', key, string.format('%d', lifetime))
  end
end

local function write_bucket(tenant)
  local name = 'bucket of ' .. K_tenant
  if cache[name] then return end
  cache[name] = true
  local key = K_tenant
  deferred_writes[#deferred_writes + 1] = function() redis.call('HSET', key, 'tokens', tenant[TOKENS], 'filled', tenant[FILLED]) end
end

-- Takes the tokens of a request for a caller that was authenticated. `floor` is how far the key may overdraw its share, in
-- bursts: 0 for calls, below for an answer that someone paid for; empty where an earlier script of the request has taken its
-- token. Returns the refusal, or nothing.
local function take_token(now, floor)
  if A_digest == '' or floor == '' then return end
  local tenant = cache[K_tenant]
  local rate, burst, debt = tonumber(tenant[RATE]), tonumber(tenant[BURST]), -tonumber(floor)
  local tokens, filled = tonumber(tenant[TOKENS] or burst), tonumber(tenant[FILLED] or now)
  tokens = math.min(burst, tokens + math.max(0, now - filled) * rate / 1000)
  local share = read_share(now)
  -- What a whole share lasts, and what the furthest debt does; a clock that was set back must not lengthen it.
  local window = burst * 1000 / rate
  local lifetime = (2 + MOST_OVERDRAWN) * window
  local had = math.max(now, math.min(share.ends, now + lifetime))
  local token = share.keys.active * 1000 / rate
  local ends = had + token
  local until_share = math.max(
    ends - now - (1 + debt) * window, (1 - math.max(debt, MOST_OVERDRAWN) * burst - tokens) * 1000 / rate)
  local spare = share.keys.active > 1 and burst / 2 or 0
  local until_spare = (1 + spare - tokens) * 1000 / rate
  if until_share > 0 and until_spare > 0 then
    return {'limit_rate', math.ceil(math.min(until_share, until_spare)), tenant[RATE], share.keys.active}
  end
  local more = math.floor(A_weight / BYTES_PER_TOKEN)
  tenant[TOKENS], tenant[FILLED] = tokens - 1 - more, now
  -- What a key got beyond its share, since nobody else used it, is no debt.
  share.ends = math.min(ends, math.max(had, now + (1 + debt) * window)) + more * token
  write_bucket(tenant)
  write_share(share, now, lifetime)
end
