#!lua
-- ACCEPT: takes the answer to an interaction, once, and puts its task into its tenant's ready list.
-- KEYS: credential tenant task pending claims ready held jobs outstanding workers listeners
-- ARGV: digest principal scopes need bytes floor member ref number answer fingerprint channel
-- Returns: {'accepted', event, next}: next is the job to add, as "number list", or ''; {'replayed', event} for the same answer again; {'interaction_not_found'},
--          {'interaction_already_answered'}, {'interaction_expired'}, {'interaction_cancelled'},
--          {'limit_size', limit, bytes, most}, or a refusal of ADMIT
-- The answer becomes the journal's entry of its effect, so that whoever resumes the task finds it there.
-- @include clock
-- @include admission
-- @include deferred_writes
-- @include waits
-- @include ready_queue
-- @include task_waiters
-- @include drop_chunks
-- @include change_feed
local now = clock()
local refusal, principal, scopes, limits = admit(now, 'answerBytes')
if refusal then return refusal end

local task = redis.call('HMGET', K_task, 'pr', 'open', 'g' .. A_number, 'x' .. A_number, 'st', 'ev', 'w', 'c' .. A_number, 'q')
local may = task[1] and (task[1] == principal or string.find(scopes, ' agent ', 1, true))
if not may then return {'interaction_not_found'} end
if task[3] then
  if string.match(task[3], '^[^;]+') ~= A_fingerprint then return {'interaction_already_answered'} end
  return {'replayed', task[6] or '0'}
end
if task[4] then return {'interaction_' .. string.match(task[4], '^[^;]+')} end

local opens = parse_opens(task[2])
local found
for index, open in ipairs(opens) do
  if open.number == tonumber(A_number) then found = index end
end
if not found then return {'interaction_not_found'} end
local open = table.remove(opens, found)
if open.due <= now then return {'interaction_expired'} end
if #A_answer > tonumber(limits[1]) then return {'limit_size', 'answerBytes', #A_answer, limits[1]} end

local event = (task[6] or 0) + 1
-- A segment that runs right now finds the answer itself: PARK sees an event that it has not consumed.
local queued = task[9] and task[9] ~= ''
redis.call('HSET', K_task, 'j:' .. open.path, open.kind .. '+' .. A_answer, 'g' .. A_number,
  string.format('%s;%d;%s', A_fingerprint, now, principal), 'open', format_opens(opens), 'st', status_of(opens),
  'up', now, 'ev', event, 'q', queued and task[9] or 'ready', waiter(task[7], A_channel))
local reference = A_ref .. '.' .. A_number .. '|' .. task[1]
defer('ZREM', K_pending, reference)
-- Most interactions are answered by whom they were shown to, and nobody claims them.
if not cache[K_claims] then cache[K_claims] = redis.call('EXISTS', K_claims) end
if cache[K_claims] == 1 then redis.call('ZREM', K_claims, reference) end
if task[8] then drop_chunks() end
announce_task(task[1], true)
return {'accepted', event, queued and '' or enqueue(now)}
