#!lua flags=allow-oom
-- LIST: pages through pending interactions, oldest first; with a lease it claims what it returns.
-- KEYS: tenant pending claims holders
-- ARGV: principal score member most examine hide lease holder channel
--       an empty principal: the whole tenant's; score and member: the cursor; hide 1: not what is claimed; lease 0: look
--       only; channel: the replica that waits for something to become pending, should there be nothing
-- Returns: {{member, score, ...}, until, free}, at most `most`, and behind it score and member to go on from unless it is
--          the end. until: the end of the leases given; free: ms until the first claim ends that hid something, or -1
-- @include clock
-- @include notify
-- @include watch
-- @include claims
local now = clock()
end_leases(now)
local found, seen, last, free = {}, 0, nil, -1
local lease, most, examine = tonumber(A_lease), tonumber(A_most), tonumber(A_examine)
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
        if lease > 0 then hold(member, A_holder, now + lease) end
      end
    end
  end
end
if A_channel ~= '' and not last and (#found == 0 or lease == 0) then watch(A_channel) end
local reply = {found, string.format('%d', now + lease), string.format('%d', free)}
if last then reply[4], reply[5] = last[1], last[2] end
return reply
