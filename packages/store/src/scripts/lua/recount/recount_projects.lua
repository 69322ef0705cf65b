#!lua flags=allow-oom
-- RECOUNT_PROJECTS: counts some projects of a tenant for a recount, each once. One that a release without counts wrote is measured now.
-- KEYS: tenant projectUse project...
-- ARGV: walk name...
-- Returns: {'recounted', count}: how many of the names were looked at; {'stale'} when another recount has begun
-- @include clock
-- @include deferred_writes
-- @include storage
-- @include tenant_limits
-- @include project_storage
if redis.call('HGET', K_tenant, 'walk') ~= A_walk then return {'stale'} end
local looked = 0
for at = A_rest, #ARGV do
  looked = looked + 1
  local project, name = KEYS[3 + at - A_rest], ARGV[at]
  local used, bytes_now = parse_use(redis.call('HGET', K_projectUse, name))
  if redis.call('EXISTS', project) == 0 then
    redis.call('HDEL', K_projectUse, name)
  else
    local bytes, walk
    if bytes_now then
      bytes, walk = parse_bytes(bytes_now)
    else
      bytes = measure_memory(project)
      count_for_tenant('stored', bytes)
    end
    if walk ~= A_walk then
      count_for_tenant('walked', bytes)
      redis.call('HSET', K_projectUse, name, format_use(used, string.format('%d;%s', bytes, A_walk)))
    end
  end
end
return {'recounted', looked}
