#!lua flags=allow-oom
-- READ_STREAM: what there is to read of a streamed answer, as far as no chunk is missing.
-- Arguments: from: the first sequence that is wanted of this stream; of another stream all are
-- Returns: {'ok', stream, chunks, missing, first, text}: chunks is how many were posted, text is that of the chunks from first to the one
--          before missing, of which the last 32 KiB and 2,000 chunks at most are given; {'interaction_not_found'}; or a refusal of RECHECK
local MOST_BYTES, MOST_CHUNKS, AT_ONCE = 32768, 2000, 100
local refusal, principal, scopes = recheck_admission(clock())
if refusal then return refusal end
if not visible_owner(principal, scopes) then return {'interaction_not_found'} end
local state = read_chunk_state(redis.call('HGET', K_task, F_chunk_state .. A_number))
pass_posted(state)
local from = tonumber(A_stream) == state.stream and tonumber(A_from) or 0
local pieces, bytes, first = {}, 0, state.missing
while first > from and bytes < MOST_BYTES and state.missing - first < MOST_CHUNKS do
  local count = math.min(AT_ONCE, first - from)
  local sequences = {}
  for at = 1, count do sequences[at] = first - count + at - 1 end
  local read = redis.call('HMGET', K_chunks, unpack(sequences))
  for at = count, 1, -1 do
    if bytes >= MOST_BYTES then break end
    first = first - 1
    table.insert(pieces, 1, read[at] or '')
    bytes = bytes + #pieces[1]
  end
end
local text = table.concat(pieces)
if #text > MOST_BYTES then
  text = string.sub(text, -MOST_BYTES)
  -- Bytes that go on a character of UTF-8 whose beginning is cut off.
  text = string.gsub(text, '^[\128-\191]+', '')
end
return {'ok', state.stream, state.chunks, state.missing, first, text}
