#!lua flags=allow-oom
-- READ_CHUNK_STATE: how far a streamed answer has come, without its chunks.
-- Arguments: from: all chunks before this sequence are known to be there
-- Returns: {'ok', chunks, missing, more, state, stream}: how many there are, and the first sequence that is missing; more 1: it may lie
--          further on, so repeat from there; state: the field itself, which ACCEPT_ANSWER compares
local text = redis.call('HGET', K_task, F_chunk_state .. A_number)
local state = read_chunk_state(text)
state.missing = math.max(state.missing, tonumber(A_from))
local more = pass_posted(state)
return {'ok', state.chunks, state.missing, more and 1 or 0, text or '', state.stream}
