#!lua flags=allow-oom
-- SHOW: reads those of some interactions that are wanted, in their order, as many as fit; with a lease it claims them.
-- KEYS: claims holders ...
--       behind them the task of each interaction
-- ARGV: status operation role most bytes whole lease holder ...
--       an empty status, operation or role: whatever it is; most and bytes: how many, and how large in all, at most, but
--       one at least; whole 0: LLM calls without their requests; lease 0: look only; behind them each one's reference
-- Returns: {until, looked, lost}, and behind it {at, op, pr, open, g, x, body} of each that is shown. until: the end of the
--          leases given; looked: how many were looked at before the page was full; lost: how many of them somebody has
--          claimed; at: its place among those given, from 1
-- A claim is given to what is shown and to nothing else: what nobody hears of must not be hidden. A holder that has
-- resigned is shown nothing.
-- @include clock
-- @include claims
local now = clock()
local most, room, lease = tonumber(A_most), tonumber(A_bytes), tonumber(A_lease)

-- What a call is about stands before its request, and quotes within texts are escaped: the first is the one.
local function outline(body)
  if not string.find(body, '^%d+;{"kind":"llm"') then return end
  local request = string.find(body, ',"request":', 1, true)
  return request and string.sub(body, 1, request - 1)
end

local function status_of(number, open, answered, ended)
  if string.find(' ' .. (open or ''), ' ' .. number .. ';', 1, true) then return 'pending' end
  return answered and 'answered' or string.match(ended or 'cancelled', '^[^;]+')
end

-- The body to show of what is wanted. It is read last: it may be large.
local function wanted_body(task, number, fields)
  if not fields[1] then return end
  if A_operation ~= '' and string.match(fields[1], '^%S+') ~= A_operation then return end
  if A_status ~= '' and status_of(number, fields[3], fields[4], fields[5]) ~= A_status then return end
  local body = redis.call('HGET', task, 'i' .. number)
  local about = body and outline(body)
  if A_role ~= '' and string.match(about or '', '"role":"(%a+)"') ~= A_role then return end
  return A_whole == '0' and about and about .. '}}' or body
end

-- It stands among the holders as one of nothing, so that it is forgotten like them.
if lease > 0 and redis.call('ZSCORE', K_holders, ' ' .. A_holder) then return {'0', #KEYS - 2, 0} end
local shown, lost, looked = {}, 0, 0
for at = 1, #KEYS - 2 do
  local task, reference = KEYS[at + 2], ARGV[A_rest + at - 1]
  local body, fields
  if lease > 0 and redis.call('ZSCORE', K_claims, reference) then
    lost = lost + 1
  else
    local number = string.match(reference, '%.(%d+)|')
    fields = redis.call('HMGET', task, 'op', 'pr', 'open', 'g' .. number, 'x' .. number)
    body = wanted_body(task, number, fields)
  end
  if body then
    if #shown > 0 and #body > room then break end
    room = room - #body
    shown[#shown + 1] = {at, fields[1], fields[2], fields[3], fields[4], fields[5], body}
    if lease > 0 then hold(reference, A_holder, now + lease) end
  end
  looked = at
  if #shown == most then break end
end
return {string.format('%d', now + lease), looked, lost, unpack(shown)}
