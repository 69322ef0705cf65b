#!lua flags=allow-oom
-- READ_CHUNK_STATE: how far a streamed answer has come, without its chunks.
-- KEYS: task
-- ARGV: number
-- Returns: {'ok', chunks, missing}: how many there are, and the first sequence that is missing
-- @include chunk_state
local state = read_chunk_state(redis.call('HGET', K_task, F_chunk_state .. A_number), A_number)
return {'ok', state.chunks, state.missing}
