#!lua flags=allow-oom
-- LIST: pages through the index of pending interactions, oldest first.
-- KEYS: tenant pending claims holders
-- ARGV: principal score member most examine hide channel sure
--       an empty principal: the whole tenant's; score and member: the cursor; hide 1: not what is claimed; channel: the
--       replica that waits for something to become pending, should there be nothing; sure 0: what is found may be nothing
--       to whoever looks
-- Returns: {{member, score, ...}, free}, at most `most`, and behind it score and member to go on from unless it is the end.
--          free: ms until the first claim ends that hid something, or -1
-- @include clock
-- @include task_waiters
-- @include backlog_waiters
-- @include claims
local now = clock()
end_leases(now)
local found, seen, last, free = {}, 0, nil, -1
local most, examine = tonumber(A_most), tonumber(A_examine)
local offset = 0
while seen < examine and #found < most * 2 do
  local chunk = redis.call('ZRANGEBYSCORE', K_pending, A_score, '+inf', 'WITHSCORES', 'LIMIT', offset, 100)
  if #chunk == 0 then
    last = nil
    break
  end
  offset = offset + 100
  for at = 1, #chunk, 2 do
    local member, score = chunk[at], chunk[at + 1]
    local before = score == A_score and member <= A_member
    if not before and #found < most * 2 then
      seen = seen + 1
      last = {score, member}
      local mine = A_principal == '' or string.match(member, '|(.*)$') == A_principal
      local held = mine and A_hide == '1' and redis.call('ZSCORE', K_claims, member)
      if held then
        if free < 0 or held - now < free then free = held - now end
      elseif mine then
        found[#found + 1] = member
        found[#found + 1] = score
      end
    end
  end
end
-- On every page, not only on the last: what comes free behind a walk must not be missed by it.
if A_channel ~= '' and (#found == 0 or A_sure == '0') then watch(A_channel) end
local reply = {found, string.format('%d', free)}
if last then reply[3], reply[4] = last[1], last[2] end
return reply
