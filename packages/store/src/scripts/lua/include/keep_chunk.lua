-- Keeps one chunk of the current stream of an answer, A_sequence of A_stream, whose text is A_delta.

-- `answer`: the fields before, expires_at and bytes of its record, and its task's owner. `limits`: answerBytes, storedBytes, stored.
-- `begins_anew`: it is the first of a stream that takes the place of another, whose chunks go.
-- Returns {'kept'}, {'replayed', sequence}, {'chunk_conflict', sequence, stream}, or the refusal of what is too much.
local function keep_chunk(now, answer, limits, begins_anew)
  local state = read_chunk_state(answer.before)
  local counted_before, missing_before = stored_chunk_bytes(state), state.missing
  local stored, published = false, false
  if begins_anew then
    state, missing_before = read_chunk_state(), 0
    state.stream = tonumber(A_stream)
  else
    stored, published = unpack(redis.call('HMGET', K_chunks, A_sequence, 'published'))
  end
  if stored then
    if stored == A_delta then return {'replayed', A_sequence} end
    return {'chunk_conflict', A_sequence, state.stream}
  end
  add_chunk(state, A_sequence, #A_delta)
  local most = limits[1]
  if state.bytes > tonumber(most) then return {'limit_size', 'answerBytes', state.bytes, most} end
  local grown = stored_chunk_bytes(state) - counted_before
  local too_much = refusal_of_storage(limits[2], limits[3], grown)
  if too_much then return too_much end
  if begins_anew then redis.call('UNLINK', K_chunks) end
  local values = {A_sequence, A_delta}
  -- A change is published seldom, and only when there is more of the text to read.
  local shows_more = begins_anew or state.missing > missing_before
  if shows_more and now - (published or 0) >= STREAM_PUBLISH_INTERVAL and change_channel() then
    publish_task_change(answer.owner, false, A_topic, true)
    add_pair(values, 'published', now)
  end
  write_all('HSET', K_chunks, values)
  -- No deadline of the interaction is later.
  redis.call('PEXPIREAT', K_chunks, answer.expires_at)
  local fields = {F_chunk_state .. A_number, format_chunk_state(state)}
  add_pair(fields, F_bytes, add_bytes(answer.bytes, grown))
  write_all('HSET', K_task, fields)
  return {'kept'}
end
