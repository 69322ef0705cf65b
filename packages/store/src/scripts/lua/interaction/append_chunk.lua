#!lua
-- APPEND_CHUNK: keeps one chunk of a streamed answer; the final success joins them.
-- KEYS: credential tenant rates task chunks
-- ARGV: digest principal scopes need bytes weight floor number sequence delta
-- Returns: {'kept'}, {'replayed', sequence} for the same chunk again, {'chunk_conflict', sequence} for another text
--          under a sequence that is taken, {'interaction_not_found'}, {'interaction_already_answered'}, {'interaction_expired'},
--          {'interaction_cancelled'}, {'limit_size', limit, bytes, most}, {'limit_storage', limit, most, used},
--          or a refusal of ADMIT
-- @include clock
-- @include credential
-- @include trim
-- @include rate
-- @include tenant_limits
-- @include admission
-- @include visibility
-- @include deferred_writes
-- @include storage
-- @include waits
-- @include answer_token
-- @include chunk_state
local now = clock()
local refusal, principal, scopes, limits = authenticate(now, 'answerBytes', 'storedBytes', 'stored')
if refusal then return refusal end
if not visible_owner(principal, scopes) then return take_answer_token(now) or {'interaction_not_found'} end
local open, answered, ended, before, expires_at, bytes = unpack(redis.call(
  'HMGET', K_task, F_waits, F_answered .. A_number, F_ended .. A_number, F_chunk_state .. A_number, F_expires_at, F_bytes))
local wait = find_interaction(parse_waits(open), A_number)
if wait and wait.kind == 'provider' then wait = nil end
local over_rate = take_answer_token(now, wait)
if over_rate then return over_rate end
local closed = refusal_of_closed(answered, ended)
if closed then return closed end
if not wait then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end

local stored = redis.call('HGET', K_chunks, A_sequence)
if stored then return {stored == A_delta and 'replayed' or 'chunk_conflict', A_sequence} end
local state, answer_bytes = read_chunk_state(before), limits[1]
local counted_before = stored_chunk_bytes(state)
add_chunk(state, A_sequence, #A_delta)
if state.bytes > tonumber(answer_bytes) then return {'limit_size', 'answerBytes', state.bytes, answer_bytes} end
local grown = stored_chunk_bytes(state) - counted_before
local too_much = refusal_of_storage(limits[2], limits[3], grown)
if too_much then return too_much end
redis.call('HSET', K_chunks, A_sequence, A_delta)
-- No deadline of the interaction is later.
redis.call('PEXPIREAT', K_chunks, expires_at)
local fields = {F_chunk_state .. A_number, format_chunk_state(state)}
local bytes_now = add_bytes(bytes, grown)
if bytes_now then add_pair(fields, F_bytes, bytes_now) end
write_all('HSET', K_task, fields)
return {'kept'}
