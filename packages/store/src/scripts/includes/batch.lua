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
