-- How far a streamed answer has come, in its field `chunk_state`: "bytes;chunks;missing;0", missing being the first sequence that
-- was not posted yet, as far as it was looked for, and behind it ";stream" of one that is not the first: each stream takes the place of
-- those with lower numbers. The chunks are in K_chunks, a hash: text by sequence.

-- A chunk counts as so many bytes at least: an empty one takes a field too.
local MIN_CHUNK_BYTES = W_chunk_least
-- One run of a script passes so many chunks at most.
local MOST_PASSED = 1000

local function read_chunk_state(text)
  local bytes, chunks, missing, stream = string.match(text or '', '^(%d+);(%d+);(%d+);0;?(%d*)$')
  return {
    bytes = tonumber(bytes or 0), chunks = tonumber(chunks or 0), missing = tonumber(missing or 0), stream = tonumber(stream) or 0,
  }
end

-- Moves `missing` on towards the first sequence that was not posted: each is passed once in the life of an answer. Returns whether
-- it may lie further on.
local function pass_posted(state)
  for _ = 1, MOST_PASSED do
    if state.missing >= state.chunks or redis.call('HEXISTS', K_chunks, state.missing) == 0 then return false end
    state.missing = state.missing + 1
  end
  return true
end

-- Counts a chunk that is about to be written. `bytes` are its own.
local function add_chunk(state, sequence, bytes)
  state.bytes = state.bytes + math.max(MIN_CHUNK_BYTES, bytes)
  state.chunks = state.chunks + 1
  if tonumber(sequence) ~= state.missing then return end
  state.missing = state.missing + 1
  pass_posted(state)
end

-- What the chunks count as of what the tenant stores.
local function stored_chunk_bytes(state)
  return state.bytes + state.chunks * W_chunk
end

local function format_chunk_state(state)
  local text = string.format('%d;%d;%d;0', state.bytes, state.chunks, state.missing)
  return state.stream == 0 and text or text .. ';' .. state.stream
end
