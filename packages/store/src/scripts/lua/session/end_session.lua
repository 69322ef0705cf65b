#!lua flags=allow-oom
-- END_SESSION: ends an MCP session, and publishes that to the replicas.
-- Arguments: limit: how many ended sessions of a tenant are remembered; of more, one is forgotten of a key that has many of them.
-- An id begins with the key that opened the session, and a dot
-- Returns: {'ended'}
-- How many of the ended sessions are looked at to find a key that has many.
local SAMPLE = 32

-- The oldest, of those that were looked at, of the key that has most of them; of keys that have as many, of the caller's. Who has
-- most of all is likely to have most of a sample, so that a key loses little by what others end.
local function ended_beyond_share()
  local of_key, own, most = {}, string.match(A_id, '^(.*)%.') or '', nil
  local sample = redis.call('ZRANDMEMBER', K_ended, SAMPLE, 'WITHSCORES')
  for at = 1, #sample, 2 do
    local key, ends = string.match(sample[at], '^(.*)%.') or '', tonumber(sample[at + 1])
    local found = of_key[key] or {count = 0, ends = math.huge}
    of_key[key] = found
    found.count = found.count + 1
    if ends < found.ends then found.id, found.ends = sample[at], ends end
    if not most or found.count > most.count or (found.count == most.count and key == own) then most = found end
  end
  return most.id
end

local now = clock()
redis.call('UNLINK', K_session)
redis.call('ZREM', K_subscribers, A_id)
trim(K_ended, now)
redis.call('ZADD', K_ended, now + tonumber(A_life), A_id)
if redis.call('ZCARD', K_ended) > tonumber(A_limit) then redis.call('ZREM', K_ended, ended_beyond_share()) end
redis.call('PEXPIRE', K_ended, A_life)
redis.call('PUBLISH', A_channel, A_id)
return {'ended'}
