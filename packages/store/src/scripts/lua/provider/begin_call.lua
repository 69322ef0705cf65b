#!lua flags=allow-oom
-- BEGIN_CALL: gives a BullMQ job the call to an LLM endpoint that it is for, for as long as `lease` says.
-- Returns: {'begun', until, principal, program, request, stream, traceparent}: until: when the lease ends; stream: the number of its chunks' stream; traceparent: of the request that started the task, '' of none; {'leased', ms} while another
--          worker has it; {'closed', next} of a call that nobody waits for any more: next is the jobs to add
-- Two workers never make one call at a time, unless one of them has stood still for longer than its lease. Chunks
-- of a worker that began it before go, and none of its is taken any more: the stream has another number.
local now = clock()
local call = A_ref .. '.' .. A_number
local open, principal, program, request, summary, chunk_state, bytes, traceparent = unpack(redis.call(
  'HMGET', K_task, F_waits, F_principal, F_program, F_request .. A_number, F_summary .. A_number,
  F_chunk_state .. A_number, F_bytes, F_traceparent))
local wait = find_interaction(parse_waits(open), A_number)
if not wait or wait.kind ~= 'provider' or wait.due <= now then return {'closed', drop_calls(now, {call})} end
local held_until = tonumber(redis.call('ZSCORE', K_calls, call) or 0)
if held_until > now and held_until < FIRST_WAITING then return {'leased', string.format('%d', held_until - now)} end
local lease_end = string.format('%d', now + A_lease)
redis.call('ZADD', K_calls, lease_end, call)
local state = read_chunk_state(chunk_state)
if held_until > 0 and held_until < FIRST_WAITING and asks_stream(summary) then
  local anew = read_chunk_state()
  anew.stream = state.stream + 1
  redis.call('UNLINK', K_chunks)
  redis.call('HSET', K_task, F_chunk_state .. A_number, format_chunk_state(anew))
  redis.call('HSET', K_task, F_bytes, add_bytes(bytes, -stored_chunk_bytes(state)))
  state = anew
end
return {'begun', lease_end, principal, program, request, state.stream, traceparent or ''}
