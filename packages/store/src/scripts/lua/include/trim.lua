-- Removes members of a sorted set whose score is `until_score` or less, the lowest first, and no more of them than one run of a
-- script should: what is left is removed by the runs after it, so nobody may take it that they are all gone.
local MOST_TRIMMED = 200

local function trim(key, until_score)
  local over = redis.call('ZCOUNT', key, '-inf', until_score)
  if over > 0 then redis.call('ZREMRANGEBYRANK', key, 0, math.min(over, MOST_TRIMMED) - 1) end
end
