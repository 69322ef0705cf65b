#!lua flags=allow-oom
-- LIST_PENDING_OR_REGISTER_WAITER: pages through the index of pending interactions, oldest first.
-- KEYS: tenant pending claims holders
-- ARGV: principal score member limit scanLimit hideClaimed channel unfiltered
--       an empty principal: the whole tenant's; score and member: the cursor; limit: how many at most; scanLimit: how many
--       are looked at; hideClaimed 1: not what is claimed; channel: the replica that waits for something to become
--       pending, should there be nothing; unfiltered 0: the caller may drop what is found
-- Returns: {{member, score, ...}, free}, and behind it score and member to go on from unless it is the end.
--          free: ms until the first claim ends that hid something, or -1
-- @include clock
-- @include task_waiters
-- @include backlog_waiters
-- @include claims
local now = clock()
drop_expired_claims(now)
local limit, scan_limit = tonumber(A_limit), tonumber(A_scanLimit)
local found, scanned, last, free = {}, 0, nil, -1
local offset = 0
while scanned < scan_limit and #found < limit * 2 do
  local page = redis.call('ZRANGEBYSCORE', K_pending, A_score, '+inf', 'WITHSCORES', 'LIMIT', offset, 100)
  if #page == 0 then
    last = nil
    break
  end
  offset = offset + 100
  for at = 1, #page, 2 do
    local member, score = page[at], page[at + 1]
    local before_cursor = score == A_score and member <= A_member
    if not before_cursor and #found < limit * 2 then
      scanned = scanned + 1
      last = {score, member}
      local visible = A_principal == '' or string.match(member, '|(.*)$') == A_principal
      local claimed_until = visible and A_hideClaimed == '1' and redis.call('ZSCORE', K_claims, member)
      if claimed_until then
        if free < 0 or claimed_until - now < free then free = claimed_until - now end
      elseif visible then
        found[#found + 1] = member
        found[#found + 1] = score
      end
    end
  end
end
-- On every page, not only on the last: what comes free behind a walk must not be missed by it.
if A_channel ~= '' and (#found == 0 or A_unfiltered == '0') then register_backlog_waiter(A_channel) end
local reply = {found, string.format('%d', free)}
if last then reply[3], reply[4] = last[1], last[2] end
return reply
