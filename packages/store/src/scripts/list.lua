#!lua flags=allow-oom
-- LIST: pages through pending interactions, oldest first; with a lease it claims what it returns.
-- KEYS: pending claims
-- ARGV: principal score member most examine lease
--       an empty principal: the whole tenant's; score and member: the cursor; lease 0: look only
-- Returns: {score, member, ...}, at most `most`, then {score, member} to go on from, or nothing at the end
-- A claim hides from other claims until its lease ends; it never hides from ACCEPT.
-- @include clock
local now = clock()
redis.call('ZREMRANGEBYSCORE', K_claims, '-inf', now)
local found, seen, last = {}, 0, nil
local lease, most, examine = tonumber(A_lease), tonumber(A_most), tonumber(A_examine)
local offset = 0
while seen < examine and #found < most * 2 do
  local chunk = redis.call('ZRANGEBYSCORE', K_pending, A_score, '+inf', 'WITHSCORES', 'LIMIT', offset, 100)
  if #chunk == 0 then return {found} end
  offset = offset + 100
  for at = 1, #chunk, 2 do
    local member, score = chunk[at], chunk[at + 1]
    local before = score == A_score and member <= A_member
    if not before and #found < most * 2 then
      seen = seen + 1
      last = {score, member}
      local mine = A_principal == '' or string.match(member, '|(.*)$') == A_principal
      if mine and not (lease > 0 and redis.call('ZSCORE', K_claims, member)) then
        found[#found + 1] = score
        found[#found + 1] = member
        if lease > 0 then redis.call('ZADD', K_claims, now + lease, member) end
      end
    end
  end
end
return {found, last}
