-- Milliseconds since 1970 by Redis's own clock, the only one that decides a deadline.
local function clock()
  if not kept.now then
    local time = redis.call('TIME')
    kept.now = time[1] * 1000 + math.floor(time[2] / 1000)
    kept.micros = time[1] * 1000000 + time[2]
  end
  return kept.now
end
