-- The requests of closed interactions, and their summaries, leave the record of a task that has opened many, since a replay
-- reads past everything that stands there; who claimed them last is forgotten. K_past, a hash with the same fields, has them for the rest of the task's life.

-- So many of the latest interactions keep theirs in the record; so many at most are moved at once, and as few as are so large.
local KEPT, MOVED, MOVED_BYTES = 64, 16, 524288

-- Moves what is due, of the interactions behind the last that was moved; those that are open stay. Returns the last one that was
-- looked at now, or nil where nothing is due. `opened`: how many interactions the task has opened.
local function move_past_requests(moved, opened, waits)
  local from, bytes, open, fields, dropped = tonumber(moved or 0), 0, {}, {}, {}
  if opened - from < KEPT + MOVED then return end
  for _, wait in ipairs(waits) do open[wait.number] = true end
  local last = from
  while last < from + MOVED and bytes < MOVED_BYTES do
    last = last + 1
    if not open[last] then
      bytes = bytes + redis.call('HSTRLEN', K_task, F_request .. last)
      fields[#fields + 1] = F_request .. last
      fields[#fields + 1] = F_summary .. last
      dropped[#dropped + 1] = F_last_claim .. last
    end
  end
  local values, moved_bytes = {}, 0
  if #fields > 0 then
    for at, value in ipairs(redis.call('HMGET', K_task, unpack(fields))) do
      if value then
        add_pair(values, fields[at], value)
        moved_bytes = moved_bytes + #value + (at % 2 == 1 and W_request or W_summary)
      end
    end
    redis.call('HDEL', K_task, unpack(fields))
    redis.call('HDEL', K_task, unpack(dropped))
  end
  write_all('HSET', K_past, values)
  -- What the task counts of what its tenant stores, and gives back with this key.
  if #values > 0 then redis.call('HINCRBY', K_past, F_bytes, moved_bytes) end
  if #values > 0 then redis.call('PEXPIRE', K_past, redis.call('PTTL', K_task)) end
  return last
end
