#!lua
-- ACCEPT_ANSWER: takes the answer to an interaction, once, and puts its task into its tenant's ready list.
-- Arguments: used: what the answer says that its LLM call used, "<tokens in>;<tokens out>;<1 if the call failed>;<model>"
-- beside: the answers to other interactions of the task that the same request brings, as "<number> <fingerprint>;" each
-- checked: the state of the chunks that the answer was held against, '' before it was, '*' where it need not be
-- Returns: {'accepted', event, next, expiresInMs, principal, took, traceparent}: next is the job to add, as "number list", or ''; took is how long the LLM request
--          waited, in ms, '' of another; traceparent: of the request that started the task, '' of none; and behind it 1 where chunks of the answer were posted, which are of no use now; {'replayed', event, principal} for the same answer again; {'interaction_not_found'},
--          {'interaction_already_answered', 'another' or '', number}: by another principal or not; of one beside it that this principal has answered otherwise, its number, and nothing
--          of the request should be taken; {'interaction_expired'}, {'interaction_cancelled'}, {'streamed', principal, scopes} where there are
--          chunks that the answer was not held against,
--          {'limit_size', limit, bytes, most}, or a refusal of ADMIT
-- Transitions: task input_required -> working, interaction pending -> answered
-- The answer becomes the journal's entry of its effect, so that whoever resumes the task finds it there.

-- What says whether two answers are the same: the mark of one that was the response to a request on a stream (ON_STREAM) stands in the place of the
-- last character of its digest.
local function digest_of(fingerprint)
  return string.sub(string.match(fingerprint, '^~?([^;]*)'), 1, 21)
end

-- The number of an interaction beside this one that this principal has answered, with another answer.
local function answered_otherwise(principal)
  for number, fingerprint in string.gmatch(A_beside, '(%d+) ([^;]+);') do
    local answered = redis.call('HGET', K_task, F_answered .. number)
    local by = answered and string.match(answered, '^[^;]+;%d+;([^;]+)')
    if by == principal and digest_of(answered) ~= digest_of(fingerprint) then return number end
  end
end

local now = clock()
local refusal, principal, scopes, limits, expires_in = authenticate(now, 'answerBytes')
if refusal then return refusal end
local owner = visible_owner(principal, scopes)
if not owner then return take_answer_rate_token(now) or {'interaction_not_found'} end
local open, answered, ended, events, waiters, chunk_state, queue, bytes, program, summary, task_usage, traceparent = unpack(redis.call(
  'HMGET', K_task, F_waits, F_answered .. A_number, F_ended .. A_number, F_events, F_waiters,
  F_chunk_state .. A_number, F_queue, F_bytes, F_program, F_summary .. A_number, F_usage, F_traceparent))
local waits = parse_waits(open)
local wait, place = find_interaction(waits, A_number)
if wait and wait.kind == 'provider' then wait = nil end
local over_rate = take_answer_rate_token(now, wait)
if over_rate then return over_rate end
local refused = answered_otherwise(principal)
if refused then return {'interaction_already_answered', '', refused} end
if answered and digest_of(answered) == digest_of(A_fingerprint) then return {'replayed', events or '0', principal} end
local closed = refusal_of_closed(answered, ended)
if closed then
  if answered then closed[2] = string.match(answered, '^[^;]+;%d+;([^;]+)') == principal and '' or 'another' end
  return closed
end

if not wait then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end
if chunk_state and A_checked ~= '*' and A_checked ~= chunk_state then return {'streamed', principal, scopes} end
local answer_bytes = limits[1]
if #A_answer > tonumber(answer_bytes) then return {'limit_size', 'answerBytes', #A_answer, answer_bytes} end

table.remove(waits, place)
local receipt = string.format('%s;%d;%s', A_fingerprint, now, principal)
local usage_now, took
if role_of(summary) ~= 'person' then
  usage_now, took = count_usage(program, summary, task_usage, A_used, now)
  receipt = receipt .. ';' .. took .. ';' .. A_used
end
local grown = #wait.kind + 1 + #A_answer + W_journal + #receipt + W_answered
if chunk_state then grown = grown - stored_chunk_bytes(read_chunk_state(chunk_state)) end
local bytes_now = add_bytes(bytes, grown)
local fields = {F_journal .. wait.path, wait.kind .. '+' .. A_answer, F_answered .. A_number, receipt, F_bytes, bytes_now}
if usage_now then add_pair(fields, F_usage, usage_now) end
local _, waiters_now = added_waiter(waiters, A_channel)
if waiters_now then add_pair(fields, F_waiters, waiters_now) end
local next_job = add_events(1, fields, waits, events, queue, now)
local reference = A_ref .. '.' .. A_number .. '|' .. owner
defer_write('ZREM', K_pending, reference)
-- Most interactions are answered by whom they were shown to, and nobody claims them.
if not cache[K_claims] then cache[K_claims] = redis.call('EXISTS', K_claims) end
if cache[K_claims] == 1 then redis.call('ZREM', K_claims, reference) end
publish_task_change(owner, true)
local reply = {'accepted', (events or 0) + 1, next_job, expires_in, principal, took or '', traceparent or ''}
-- The whole answer is in the journal; the caller drops its chunks.
if chunk_state then
  redis.call('HDEL', K_task, F_chunk_state .. A_number)
  reply[8] = 1
end
return reply
