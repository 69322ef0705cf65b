#!lua flags=allow-oom
-- FORGET_TASKS: lets ended tasks go, with their idempotency keys: those whose retention is over, and the oldest while the
-- tenant has more of them, or more bytes of them, than it may.
-- Keys: behind them the task, what is past of it, and the idempotency key of each
-- Arguments: plain 1: those that left an idempotency key or chunks of an answer stay, since the caller did not look for these
-- Returns: {count, ref...}: how many have gone, and those that stay only for that reason
local now = clock()
local tasks, bytes = read_excess(K_tenant, K_retained)
-- In a large record nobody looks for chunks here.
local MOST_FIELDS = 64

local function left_chunks(task)
  if redis.call('HLEN', task) > MOST_FIELDS then return true end
  for _, field in ipairs(redis.call('HKEYS', task)) do
    if string.find(field, '^' .. F_chunk_state .. '%d') then return true end
  end
end

local reply = {0}
for at = A_rest, #ARGV do
  local place = 1 + 3 * (at - A_rest + 1)
  local ref, task, past, idempotency = ARGV[at], KEYS[place], KEYS[place + 1], KEYS[place + 2]
  local ends = tonumber(redis.call('ZSCORE', K_retained, ref))
  if ends and (ends <= now or tasks > 0 or bytes > 0) then
    local principal, own, owned = unpack(redis.call('HMGET', task, F_principal, F_bytes, F_idempotency))
    if A_plain == '1' and (owned or left_chunks(task)) then
      reply[#reply + 1] = ref
    else
      if own then
        add_bytes(own, -own, -own)
        bytes = bytes - own
      end
      redis.call('UNLINK', task, past)
      if owned then redis.call('UNLINK', idempotency) end
      if principal then redis.call('ZREM', K_tasks, ref .. '|' .. principal) end
      redis.call('ZREM', K_retained, ref)
      tasks = tasks - 1
      reply[1] = reply[1] + 1
    end
  end
end
return reply
