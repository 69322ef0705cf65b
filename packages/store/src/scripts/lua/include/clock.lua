-- Milliseconds since 1970 by Redis's own clock, the only one that decides a deadline.
local function clock()
  if not cache.now then
    local time = redis.call('TIME')
    cache.now = time[1] * 1000 + math.floor(time[2] / 1000)
    cache.micros = time[1] * 1000000 + time[2]
  end
  return cache.now
end
