-- Milliseconds since 1970 by Redis's own clock, the only one that decides a deadline.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
