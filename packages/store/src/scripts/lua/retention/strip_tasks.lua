#!lua flags=allow-oom
-- STRIP_TASKS: takes input, requests and answers out of ended tasks, the oldest first, while the tenant has more bytes of them
-- than it may. What a task ended with, and the facts of its interactions, stay.
-- Keys: behind them each task, and what is past of it
-- Arguments: fields, bytes: how much of records one run passes, about
-- Returns: {count}: how many tasks have nothing more to lose
-- A record may be large: where a run ends within one, the tenant's field `strip` has "<ref> <cursor>" to go on from.
local room, byte_room, _, excess = tonumber(A_fields), tonumber(A_bytes), read_excess(K_tenant, K_retained)
local begun_ref, begun_cursor = string.match(redis.call('HGET', K_tenant, 'strip') or '', '^(%S+) (%d+)$')
local done = 0

local function strip(ref, task, past)
  -- First the input: whoever finds that takes the rest for whole.
  local freed, deleted = tonumber(redis.call('HGET', past, F_bytes) or 0) + redis.call('HSTRLEN', task, F_input), {}
  redis.call('HDEL', task, F_input)
  redis.call('UNLINK', past)
  local cursor = ref == begun_ref and begun_cursor or '0'
  repeat
    local found
    cursor, found = unpack(redis.call('HSCAN', task, cursor, 'COUNT', 20))
    for place = 1, #found, 2 do
      local field, value = found[place], found[place + 1]
      if is_large(field) then
        freed = freed + counted_bytes(field, value)
        deleted[#deleted + 1] = field
      end
      room, byte_room = room - 1, byte_room - #value
    end
  until cursor == '0' or room <= 0 or byte_room <= 0
  write_all('HDEL', task, deleted)
  local bytes = redis.call('HGET', task, F_bytes)
  if bytes then
    redis.call('HSET', task, F_bytes, add_bytes(bytes, -freed, -freed))
    excess = excess - freed
  end
  return cursor
end

for at = A_rest, #ARGV do
  if excess <= 0 or room <= 0 or byte_room <= 0 then break end
  local ref, task, past = ARGV[at], KEYS[3 + 2 * (at - A_rest)], KEYS[4 + 2 * (at - A_rest)]
  -- One that was retried meanwhile is open.
  local until_ms = redis.call('ZSCORE', K_retained, ref)
  local cursor = until_ms and strip(ref, task, past) or '0'
  if cursor ~= '0' then
    redis.call('HSET', K_tenant, 'strip', ref .. ' ' .. cursor)
  else
    if until_ms then redis.call('HSET', K_tenant, 'strippedTo', until_ms, 'strip', '') end
    done = done + 1
  end
end
return {done}
