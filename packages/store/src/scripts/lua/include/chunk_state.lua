-- How far a streamed answer has come, in its field `chunk_state`: "bytes;chunks;missing", the last being the first sequence
-- that was not posted yet. All chunks up to the last are there when it equals the number of chunks.

-- A chunk counts as so many bytes at least: an empty one takes a field too.
local MIN_CHUNK_BYTES = 64

local function has_chunk(number, sequence)
  return redis.call('HEXISTS', K_task, F_chunk .. number .. ';' .. sequence) == 1
end

-- Moves `missing` on to the first sequence that was not posted: each is passed once in the life of an answer.
local function pass_posted(state, number)
  while state.missing < state.chunks and has_chunk(number, state.missing) do state.missing = state.missing + 1 end
end

-- An earlier release kept the bytes alone: its chunks are counted once.
local function read_chunk_state(text, number)
  local bytes, chunks, missing = string.match(text or '0;0;0', '^(%d+);(%d+);(%d+)$')
  if bytes then return {bytes = tonumber(bytes), chunks = tonumber(chunks), missing = tonumber(missing)} end
  local state, prefix = {bytes = tonumber(text), chunks = 0, missing = 0}, F_chunk .. number .. ';'
  for _, field in ipairs(redis.call('HKEYS', K_task)) do
    if string.sub(field, 1, #prefix) == prefix then state.chunks = state.chunks + 1 end
  end
  pass_posted(state, number)
  return state
end

-- Counts a chunk that is about to be written. `bytes` are its own.
local function add_chunk(state, number, sequence, bytes)
  state.bytes = state.bytes + math.max(MIN_CHUNK_BYTES, bytes)
  state.chunks = state.chunks + 1
  if tonumber(sequence) ~= state.missing then return end
  state.missing = state.missing + 1
  pass_posted(state, number)
end

local function format_chunk_state(state)
  return string.format('%d;%d;%d', state.bytes, state.chunks, state.missing)
end
