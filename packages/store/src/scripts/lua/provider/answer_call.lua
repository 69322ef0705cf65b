#!lua
-- ANSWER_CALL: ACCEPT_ANSWER of a call that a worker made to an LLM endpoint: the answer becomes the journal's entry, once, and the
-- task is ready. The open wait is the fence.
-- Arguments: used: as ACCEPT_ANSWER has it; stream: the one that the worker has posted chunks of
-- Returns: {'accepted', next}, {'closed', next} of a call that nobody waits for any more: next is the jobs to add; {'lost'} of a
--          streamed one that another worker has begun meanwhile, whose words are shown;
--          {'limit_size', limit, bytes, most}
-- Transitions: interaction pending -> answered
local now = clock()
local call = {A_ref .. '.' .. A_number}
local open, principal, events, queue, bytes, program, summary, task_usage, chunk_state = unpack(redis.call(
  'HMGET', K_task, F_waits, F_principal, F_events, F_queue, F_bytes, F_program, F_summary .. A_number, F_usage,
  F_chunk_state .. A_number))
local waits = parse_waits(open)
local wait, place = find_interaction(waits, A_number)
if not wait or wait.kind ~= 'provider' or wait.due <= now then return {'closed', drop_calls(now, call)} end
local chunks = read_chunk_state(chunk_state)
if chunks.stream ~= tonumber(A_stream) then return {'lost'} end
local most = read_tenant('answerBytes')[1]
if #A_answer > tonumber(most) then return {'limit_size', 'answerBytes', #A_answer, most} end

table.remove(waits, place)
local usage_now, took = count_usage(program, summary, task_usage, A_used, now)
local receipt = string.format('%s;%d;%s;%d;%s', A_fingerprint, now, 'provider', took, A_used)
local entry = journal_kind(wait) .. '+' .. A_answer
local bytes_now = add_bytes(bytes, #entry + W_journal + #receipt + W_answered - stored_chunk_bytes(chunks))
local fields = {F_journal .. wait.path, entry, F_answered .. A_number, receipt, F_usage, usage_now, F_bytes, bytes_now}
local next_job = add_events(1, fields, waits, events, queue, now)
if chunk_state then
  -- The whole answer is in the journal.
  redis.call('HDEL', K_task, F_chunk_state .. A_number)
  redis.call('UNLINK', K_chunks)
end
publish_task_change(principal, true)
return {'accepted', join_jobs(next_job, drop_calls(now, call))}
