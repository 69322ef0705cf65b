#!lua
-- APPEND_CHUNK: keeps one chunk of a streamed answer; the final success joins them. The first chunk of a stream with a higher number
-- drops those of the stream before: whoever was cut off begins anew with it.
-- KEYS: credential tenant rates task chunks activeChangeChannel
-- ARGV: digest principal scopes need bytes weight floor topic number stream sequence delta
-- Returns: {'kept'}, {'replayed', sequence} for the same chunk again, {'chunk_conflict', sequence, stream} for another text
--          under a sequence that is taken, {'stream_replaced', stream} for a chunk of an earlier stream than the current one,
--          {'not_streamed'} where no streamed text was asked for, {'interaction_not_found'}, {'interaction_already_answered'},
--          {'interaction_expired'}, {'interaction_cancelled'}, {'limit_size', limit, bytes, most}, {'limit_storage', limit, most, used},
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
-- @include change_feed

local now = clock()
local refusal, principal, scopes, limits = authenticate(now, 'answerBytes', 'storedBytes', 'stored')
if refusal then return refusal end
local owner = visible_owner(principal, scopes)
if not owner then return take_answer_token(now) or {'interaction_not_found'} end
local open, answered, ended, before, expires_at, bytes, summary = unpack(redis.call(
  'HMGET', K_task, F_waits, F_answered .. A_number, F_ended .. A_number, F_chunk_state .. A_number, F_expires_at, F_bytes,
  F_summary .. A_number))
local wait = find_interaction(parse_waits(open), A_number)
if wait and wait.kind == 'provider' then wait = nil end
local over_rate = take_answer_token(now, wait)
if over_rate then return over_rate end
local closed = refusal_of_closed(answered, ended)
if closed then return closed end
if not wait then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end
-- A request without a summary is an earlier release's, which has seen to it.
if wait.kind ~= 'llm' or summary and string.match(summary, '^%d+;[^;]*;([^;]*)') ~= 'streamText' then return {'not_streamed'} end

local state, stream, answer_bytes = read_chunk_state(before), tonumber(A_stream), limits[1]
if stream < state.stream then return {'stream_replaced', state.stream} end
local begins_anew, counted_before, missing_before = stream > state.stream, stored_chunk_bytes(state), state.missing
local stored, published = false, false
if begins_anew then
  state, missing_before = read_chunk_state(), 0
  state.stream = stream
else
  stored, published = unpack(redis.call('HMGET', K_chunks, A_sequence, 'published'))
end
if stored then
  if stored == A_delta then return {'replayed', A_sequence} end
  return {'chunk_conflict', A_sequence, state.stream}
end
add_chunk(state, A_sequence, #A_delta)
if state.bytes > tonumber(answer_bytes) then return {'limit_size', 'answerBytes', state.bytes, answer_bytes} end
local grown = stored_chunk_bytes(state) - counted_before
local too_much = refusal_of_storage(limits[2], limits[3], grown)
if too_much then return too_much end
if begins_anew then redis.call('UNLINK', K_chunks) end
local values = {A_sequence, A_delta}
-- A change is published seldom, and only when there is more of the text to read.
local shows_more = begins_anew or state.missing > missing_before
if shows_more and now - (published or 0) >= STREAM_PUBLISH_INTERVAL and change_channel() then
  publish_task_change(owner, false, A_topic, true)
  add_pair(values, 'published', now)
end
write_all('HSET', K_chunks, values)
-- No deadline of the interaction is later.
redis.call('PEXPIREAT', K_chunks, expires_at)
local fields = {F_chunk_state .. A_number, format_chunk_state(state)}
local bytes_now = add_bytes(bytes, grown)
if bytes_now then add_pair(fields, F_bytes, bytes_now) end
write_all('HSET', K_task, fields)
return {'kept'}
