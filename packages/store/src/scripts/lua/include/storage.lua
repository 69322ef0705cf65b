-- What a tenant stores of projects and tasks, in bytes of values and weights (stored-weights.ts). Its record counts `stored`, and within it `storedEnded`,
-- which is of tasks that have ended. Each record knows its own bytes: "bytes", or "bytes;walk" once the recount `walk` has
-- met it. While that recount goes on (the tenant's field `walk`), `walked` and `walkedEnded` count what it has met, and in
-- the end take the place of the other two. A record of an earlier release counts nothing until a recount meets it.
-- Needs deferred_writes.

local function current_walk()
  local name = 'walk of ' .. K_tenant
  if cache[name] == nil then cache[name] = redis.call('HGET', K_tenant, 'walk') end
  return cache[name]
end

local function parse_bytes(text)
  local bytes = tonumber(text)
  if bytes then return bytes end
  local walk
  bytes, walk = string.match(text, '^(%-?%d+);(.+)$')
  return tonumber(bytes), walk
end

-- Counts what a record has grown by, below 0 what it has shrunk by; `ended_by`: the same of `storedEnded`. `text` is what the
-- record says of itself. Returns what it is to say now, or nothing where it says nothing.
local function add_bytes(text, by, ended_by)
  if not text then return end
  local bytes, walk = parse_bytes(text)
  count_for_tenant('stored', by)
  if ended_by then count_for_tenant('storedEnded', ended_by) end
  if not walk or walk ~= current_walk() then return string.format('%d', bytes + by) end
  count_for_tenant('walked', by)
  if ended_by then count_for_tenant('walkedEnded', ended_by) end
  return string.format('%d;%s', bytes + by, walk)
end

-- The bytes of a record that nothing has counted yet, estimated: Redis looks at a few of its fields.
local function measure_memory(key)
  return redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 20) or 0
end

-- What a field of K_task holds now, with its weight: 0 where there is none.
local function bytes_of_field(field, weight)
  local length = redis.call('HSTRLEN', K_task, field)
  return length > 0 and length + weight or 0
end

-- Tasks that were accepted may take one part of so many more than the limit, to ask on.
local OVERDRAFT_PARTS = 4

-- The refusal of what would take `bytes` more than the tenant's limit allows, or nil; `accepted`: of a task that was accepted.
-- Asked before anything is written; `stored` is as the tenant's record says, without what other calls of the batch have counted since.
local function refusal_of_storage(limit, stored, bytes, accepted)
  stored = tonumber(stored or 0) + counted_in_batch('stored')
  local most = tonumber(limit) * (accepted and 1 + 1 / OVERDRAFT_PARTS or 1)
  if bytes > 0 and stored + bytes > most then
    return {'limit_storage', 'storedBytes', limit, string.format('%d', stored)}
  end
end
