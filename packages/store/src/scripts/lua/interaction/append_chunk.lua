#!lua
-- APPEND_CHUNK: keeps one chunk of a streamed answer; the final success joins them. The first chunk of a stream with a higher number
-- drops those of the stream before: whoever was cut off begins anew with it.
-- Returns: {'kept'}, {'replayed', sequence} for the same chunk again, {'chunk_conflict', sequence, stream} for another text
--          under a sequence that is taken, {'stream_replaced', stream} for a chunk of an earlier stream than the current one,
--          {'not_streamed'} where no streamed text was asked for, {'interaction_not_found'}, {'interaction_already_answered'},
--          {'interaction_expired'}, {'interaction_cancelled'}, {'limit_size', limit, bytes, most}, {'limit_storage', limit, most, used},
--          or a refusal of ADMIT

local now = clock()
-- A chunk costs and is refused as a call is: the answer is posted whole where its chunks are refused.
local refusal, principal, scopes, limits = admit(now, 'answerBytes', 'storedBytes', 'stored')
if refusal then return refusal end
local owner = visible_owner(principal, scopes)
if not owner then return {'interaction_not_found'} end
local open, answered, ended, before, expires_at, bytes, summary = unpack(redis.call(
  'HMGET', K_task, F_waits, F_answered .. A_number, F_ended .. A_number, F_chunk_state .. A_number, F_expires_at, F_bytes,
  F_summary .. A_number))
local wait = find_interaction(parse_waits(open), A_number)
if wait and wait.kind == 'provider' then wait = nil end
local closed = refusal_of_closed(answered, ended)
if closed then return closed end
if not wait then return {'interaction_not_found'} end
if wait.due <= now then return {'interaction_expired'} end
if not asks_stream(summary) then return {'not_streamed'} end

local current, stream = read_chunk_state(before).stream, tonumber(A_stream)
if stream < current then return {'stream_replaced', current} end
return keep_chunk(now, {before = before, expires_at = expires_at, bytes = bytes, owner = owner}, limits, stream > current)
