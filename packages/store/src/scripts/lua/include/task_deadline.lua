-- Sets a task's one place among its tenant's deadlines (zset K_deadlines: ref by the first time that something of it falls
-- due), and the tenant's among its shard's (zset K_due: tenant by its first deadline). The latter may stand too early,
-- never too late: a sweep that finds nothing due sets it right.
local function set_deadline(due)
  defer_write('ZADD', K_deadlines, due, A_ref)
  local name = 'first due ' .. K_deadlines
  local first = cache[name]
  if not first then
    first = {at = due}
    cache[name] = first
    local key, tenant = K_due, tenant_of(A_topic)
    deferred_writes[#deferred_writes + 1] = function() redis.call('ZADD', key, 'LT', first.at, tenant) end
  end
  if due < first.at then first.at = due end
end
