-- Adds a field and its value, or a score and its member, to the values that one command is to write.
local function add_pair(values, name, value)
  values[#values + 1] = name
  values[#values + 1] = value
end

-- Runs `command` on `key` with these values: not at all where there are none, and several times where there are more
-- than unpack holds, which is some thousands.
local function write_all(command, key, values)
  for from = 1, #values, 2000 do
    redis.call(command, key, unpack(values, from, math.min(from + 1999, #values)))
  end
end

-- Runs `command` on `key` once at the end, for all calls of the batch that defer it: no call may read what it writes.
local function defer_write(command, key, ...)
  local name = command .. key
  local values = cache[name]
  if not values then
    values = {}
    cache[name] = values
    deferred_writes[#deferred_writes + 1] = function() write_all(command, key, values) end
  end
  for at = 1, select('#', ...) do values[#values + 1] = (select(at, ...)) end
end

-- Has a key live for so many ms at least, set once at the end for all calls of the batch.
local function defer_lifetime(key, ms)
  local name = 'lifetime of ' .. key
  if cache[name] then return end
  cache[name] = true
  deferred_writes[#deferred_writes + 1] = function()
    if redis.call('PEXPIRE', key, ms, 'GT') == 0 then redis.call('PEXPIRE', key, ms, 'NX') end
  end
end

-- Counts a field of the tenant's record up or down, once for all calls of the batch.
local function count_for_tenant(field, by)
  local name = 'counts of ' .. K_tenant
  local counts = cache[name]
  if not counts then
    counts = {}
    cache[name] = counts
    local key = K_tenant
    deferred_writes[#deferred_writes + 1] = function()
      for bytes_now, count in pairs(counts) do
        if count ~= 0 then redis.call('HINCRBY', key, bytes_now, string.format('%d', count)) end
      end
    end
  end
  counts[field] = (counts[field] or 0) + by
end

-- What the calls of the batch have counted so far of a field of the tenant's record.
local function counted_in_batch(field)
  local counts = cache['counts of ' .. K_tenant]
  return counts and counts[field] or 0
end
