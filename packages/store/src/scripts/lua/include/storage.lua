-- What a tenant stores of projects and tasks, in bytes of values and weights (stored-weights.ts). Its record counts `stored`, and within it `storedEnded`,
-- which is of tasks that have ended. Each record knows its own bytes.

-- Counts what a record of `bytes` has grown by, below 0 what it has shrunk by; `ended_by`: the same of `storedEnded`. Returns its bytes now.
local function add_bytes(bytes, by, ended_by)
  count_for_tenant('stored', by)
  if ended_by then count_for_tenant('storedEnded', ended_by) end
  return string.format('%d', bytes + by)
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
