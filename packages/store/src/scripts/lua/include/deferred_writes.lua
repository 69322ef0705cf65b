-- What one command is to write, gathered first: field and value, or score and member.
local function put(batch, name, value)
  batch[#batch + 1] = name
  batch[#batch + 1] = value
end

-- Sends what was gathered: no command where there is nothing, several where there is more than unpack holds, which is
-- some thousands of values.
local function send(command, key, batch)
  for from = 1, #batch, 2000 do
    redis.call(command, key, unpack(batch, from, math.min(from + 1999, #batch)))
  end
end

-- Has the end of the command send one `command` to `key` for all runs that want it: nothing in between asks for what it
-- writes.
local function defer(command, key, ...)
  local name = command .. key
  local batch = cache[name]
  if not batch then
    batch = {}
    cache[name] = batch
    deferred_writes[#deferred_writes + 1] = function() send(command, key, batch) end
  end
  for at = 1, select('#', ...) do batch[#batch + 1] = (select(at, ...)) end
end

-- Counts a tenant's open tasks up or down, once for all runs of the command.
local function count_open(by)
  if not cache.opened then
    cache.opened = {}
    deferred_writes[#deferred_writes + 1] = function()
      for tenant, count in pairs(cache.opened) do redis.call('HINCRBY', tenant, 'open', count) end
    end
  end
  cache.opened[K_tenant] = (cache.opened[K_tenant] or 0) + by
end
