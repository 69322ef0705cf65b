#!lua flags=allow-oom
-- LIST_PENDING_OR_REGISTER_WAITER: pages through the index of pending interactions, oldest first.
-- Arguments: score and member: the cursor; limit: how many at most; scanLimit: how many are looked at; hideClaimed 1: not what
-- is claimed; channel: the replica that waits for something to become pending, should there be nothing; unfiltered
-- 0: the caller may drop what is found; owner: only what this principal's calls ask for, or ''
-- Returns: a refusal of RECHECK, or {'ok', expiresInMs, {member, score, ...}, free}, and behind it score and member to go
--          on from unless it is the end.
--          free: ms until the first claim ends that hid something, or -1
local now = clock()
local refusal, principal, scopes, expires_in = recheck_admission(now)
if refusal then return refusal end
local limit, scan_limit = tonumber(A_limit), tonumber(A_scanLimit)
local found, scanned, last, free = {}, 0, nil, -1

-- Whether a member stands behind another of the same score: by its bytes, as Redis has it.
local function is_behind(member, other)
  for at = 1, math.min(#member, #other) do
    local byte, other_byte = string.byte(member, at), string.byte(other, at)
    if byte ~= other_byte then return byte > other_byte end
  end
  return #member > #other
end

-- The rank of the first member behind the cursor, whose own member may be gone. What is opened together has one score, and
-- may be many: it is halved, not walked through.
local function rank_behind_cursor()
  if A_score == '-inf' then return 0 end
  local first = redis.call('ZCOUNT', K_pending, '-inf', '(' .. A_score)
  local past = first + redis.call('ZCOUNT', K_pending, A_score, A_score)
  while first < past do
    local middle = math.floor((first + past) / 2)
    if is_behind(redis.call('ZRANGE', K_pending, middle, middle)[1], A_member) then past = middle else first = middle + 1 end
  end
  return first
end

-- Asked once: a page has members of many principals.
local sees_all = may_see('', nil, scopes)

-- When the lease of each member of a page ends, whose scores stand between them: one read of the claims.
local function lease_ends_of(page)
  local members = {}
  for at = 1, #page, 2 do members[#members + 1] = page[at] end
  return redis.call('ZMSCORE', K_claims, unpack(members))
end

local rank = rank_behind_cursor()
while scanned < scan_limit and #found < limit * 2 do
  local page = redis.call('ZRANGE', K_pending, rank, rank + 99, 'WITHSCORES')
  if #page == 0 then
    last = nil
    break
  end
  rank = rank + 100
  local lease_ends = A_hideClaimed == '1' and lease_ends_of(page)
  for at = 1, #page, 2 do
    local member, score = page[at], page[at + 1]
    if #found < limit * 2 then
      scanned = scanned + 1
      last = {score, member}
      local owner = string.sub(member, string.find(member, '|', 1, true) + 1)
      local visible = (sees_all or owner == principal) and (A_owner == '' or owner == A_owner)
      local claimed_until = visible and lease_ends and tonumber(lease_ends[(at + 1) / 2] or 0)
      if claimed_until and claimed_until > now then
        if free < 0 or claimed_until - now < free then free = claimed_until - now end
      elseif visible then
        found[#found + 1] = member
        found[#found + 1] = score
      end
    end
  end
end
-- On every page, not only on the last: what comes free behind a walk must not be missed by it.
if A_channel ~= '' and (#found == 0 or A_unfiltered == '0') then register_pending_list_waiter(A_channel) end
local reply = {'ok', expires_in, found, string.format('%d', free)}
if last then reply[5], reply[6] = last[1], last[2] end
return reply
