#!lua
-- APPEND_CALL_CHUNK: APPEND_CHUNK of a call that a worker makes to an LLM endpoint. BEGIN_CALL has numbered the stream: whoever made the
-- call before adds nothing to it any more.
-- Returns: {'kept'}, {'replayed', sequence} for the same chunk again, {'chunk_conflict', sequence, stream} for another text under a sequence
--          that is taken, {'closed'} where nobody waits for the call any more, or another worker has begun it,
--          {'limit_size', limit, bytes, most}, {'limit_storage', limit, most, used}
local now = clock()
local open, owner, before, expires_at, bytes = unpack(redis.call(
  'HMGET', K_task, F_waits, F_principal, F_chunk_state .. A_number, F_expires_at, F_bytes))
local wait = find_interaction(parse_waits(open), A_number)
if not wait or wait.kind ~= 'provider' or wait.due <= now then return {'closed'} end
if read_chunk_state(before).stream ~= tonumber(A_stream) then return {'closed'} end
local limits = read_tenant('answerBytes', 'storedBytes', 'stored')
return keep_chunk(now, {before = before, expires_at = expires_at, bytes = bytes, owner = owner}, limits, false)
