#!lua flags=allow-oom
-- FETCH_OR_CLAIM_INTERACTIONS: reads those of some interactions that match, in their order, as many as fit; with a lease it claims
-- them.
-- Keys: behind them the task of each interaction, and then what is past of each such task, unless all of them are pending
-- Arguments: an empty status, operation or role: any, but that a claim without a role takes no question to a person; limit and bytes: how many, and how large in all, at most, but one at
-- least; itemBytes: what each counts beside its request or summary; examine: how many bytes are looked at before the
-- page ends, whether they match or not; whole 0: without their requests; lease 0: no claim; claimer: who claims;
-- behind them each one's reference
-- Returns: a refusal of RECHECK, or {'ok', scanned, contended}, and behind it {at, program, principal, wait, answered,
--          ended, request, summary, last_claim, until, client} of each that matches, wait being its own of the task's open waits.
--          scanned: how many were looked at before the page was full; contended: how many of them somebody has claimed; at: its
--          place among those given, from 1; request or summary false where it is not asked for; until: the end of the claim
--          that lasts now, or false
-- A claim is given to what is returned and to nothing else: what no caller sees must not be hidden. A holder that was
-- released gets nothing.
local now = clock()
local refusal, principal, scopes = recheck_admission(now)
if refusal then return refusal end
local count, whole = #ARGV - A_rest + 1, A_whole == '1'
local limit, room, examine, lease = tonumber(A_limit), tonumber(A_bytes), tonumber(A_examine), tonumber(A_lease)

-- What was looked at counts against `examine`.
local function look(value)
  if value then examine = examine - #value end
  return value
end

-- A task's fields are read with the first of its interactions, and the same for the others. False for a task that is gone or
-- that the caller may not see: its owner is asked before anything else of it is read.
local tasks = {}
local function task_at(task_key)
  if tasks[task_key] == nil then
    local owner = redis.call('HGET', task_key, F_principal)
    if may_see(owner, principal, scopes) then
      local program, waits, client = unpack(redis.call('HMGET', task_key, F_program, F_waits, F_client))
      tasks[task_key] = {program = program, client = client, principal = owner, waits = ' ' .. (look(waits) or '')}
    else
      tasks[task_key] = false
    end
  end
  return tasks[task_key]
end

local function status_of_interaction(wait, answered, ended)
  if wait then return 'pending' end
  return answered and 'answered' or string.match(ended or 'cancelled', '^[^;]+')
end

-- Whoever claims without a role has a model, and no person to ask.
local function is_wanted_role(summary)
  local role = role_of(summary)
  if A_role == '' then return lease == 0 or role ~= 'person' end
  return role == A_role
end

-- The interaction with this number as it is returned, and its size; nil where it does not match. The request is read last,
-- and only where it is needed: it may be large.
local function fetch(task_key, past_key, number)
  local task = task_at(task_key)
  if not task then return end
  local answered, ended, summary, last_claim = unpack(redis.call(
    'HMGET', task_key, F_answered .. number, F_ended .. number, F_summary .. number, F_last_claim .. number))
  look(summary)
  local wait = string.match(task.waits, ' (' .. number .. ';%S+)')
  if A_operation ~= '' and string.match(task.program, '^%S+') ~= A_operation then return end
  if A_status ~= '' and status_of_interaction(wait, answered, ended) ~= A_status then return end
  if summary and not is_wanted_role(summary) then return end
  local request = false
  if whole or not summary then
    request = look(redis.call('HGET', task_key, F_request .. number))
    if not request and past_key then
      summary = look(redis.call('HGET', past_key, F_summary .. number))
      if summary and not is_wanted_role(summary) then return end
      if whole or not summary then request = look(redis.call('HGET', past_key, F_request .. number)) end
    end
    if not request and (whole or not summary) then return end
  end
  if whole then summary = false elseif summary then request = false end
  local row = {0, task.program, task.principal, wait or false, answered, ended, request, summary, last_claim, false, task.client}
  return row, #(request or summary) + tonumber(A_itemBytes)
end

if lease > 0 and is_holder(RELEASED, now) then return {'ok', count, 0} end
local fetched, claimed, contended, scanned = {}, {}, 0, 0
local claim, claim_ends = format_claim(now, A_claimer), string.format('%d', now + lease)
for at = 1, count do
  local task_key, past_key, reference = KEYS[at + 4], KEYS[at + 4 + count], ARGV[A_rest + at - 1]
  local number, interaction, bytes = string.match(reference, '%.(%d+)|')
  if lease > 0 and lease_end_of(reference, now) then
    contended = contended + 1
  else
    interaction, bytes = fetch(task_key, past_key, number)
  end
  if interaction then
    if #fetched > 0 and bytes > room then break end
    room = room - bytes
    interaction[1] = at
    fetched[#fetched + 1] = interaction
    if lease > 0 then
      claimed[#claimed + 1] = now + lease
      claimed[#claimed + 1] = reference
      redis.call('HSET', task_key, F_last_claim .. number, claim)
      interaction[9], interaction[10] = claim, claim_ends
    elseif interaction[4] and interaction[9] then
      local claimed_until = lease_end_of(string.match(reference, '^[^|]+|') .. interaction[3], now)
      interaction[10] = claimed_until and string.format('%d', claimed_until)
    end
  end
  scanned = at
  if #fetched == limit or examine <= 0 then break end
end
if #claimed > 0 then set_claims(now, claimed) end
return {'ok', scanned, contended, unpack(fetched)}
