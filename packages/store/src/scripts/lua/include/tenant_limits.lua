-- Fields of the tenant's record. A limit that it lacks, since it was made before the limit was, has its default: the one place
-- in scripts that knows of it. Anything else that is not there is false.
local function read_limits(tenant, ...)
  local values = redis.call('HMGET', tenant, ...)
  for at = 1, select('#', ...) do
    if not values[at] then values[at] = (DEFAULT_LIMITS)[(select(at, ...))] or false end
  end
  return values
end

local function read_tenant(...) return read_limits(K_tenant, ...) end
