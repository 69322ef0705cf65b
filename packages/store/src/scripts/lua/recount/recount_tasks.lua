#!lua flags=allow-oom
-- RECOUNT_TASKS: counts some tasks of a tenant for a recount, each once. One that a release without counts wrote is measured now,
-- and retained if it has ended; a member of the index without a record leaves it.
-- KEYS: tenant tasks retained due task...
-- ARGV: name walk member...
-- Returns: {'recounted', count}: how many of the members were looked at; {'stale'} when another recount has begun
-- @include clock
-- @include deferred_writes
-- @include storage
-- @include tenant_limits
-- @include retention
-- @include task_status
if redis.call('HGET', K_tenant, 'walk') ~= A_walk then return {'stale'} end
local looked = 0

-- What ended before there was a set of ended tasks has its retention left as the lifetime of its record.
local function retain(task, ref)
  if redis.call('ZSCORE', K_retained, ref) then return end
  local until_ms = clock() + math.max(0, redis.call('PTTL', task))
  redis.call('ZADD', K_retained, until_ms, ref)
  redis.call('PEXPIRE', task, string.format('%d', until_ms - clock() + RETENTION_GRACE))
  redis.call('ZADD', K_due, 'LT', until_ms, A_name)
end

for at = A_rest, #ARGV do
  looked = looked + 1
  local task, ref = KEYS[5 + at - A_rest], string.match(ARGV[at], '^[^|]+')
  local status, text = unpack(redis.call('HMGET', task, F_status, F_bytes))
  if not status then
    redis.call('ZREM', K_tasks, ARGV[at])
    redis.call('ZREM', K_retained, ref)
  else
    local ended, bytes, walk = has_ended(status), nil, nil
    if text then
      bytes, walk = parse_bytes(text)
    else
      bytes = measure_memory(task)
      count_for_tenant('stored', bytes)
      if ended then count_for_tenant('storedEnded', bytes) end
    end
    if walk ~= A_walk then
      count_for_tenant('walked', bytes)
      if ended then count_for_tenant('walkedEnded', bytes) end
      redis.call('HSET', task, F_bytes, string.format('%d;%s', bytes, A_walk))
    end
    if ended then retain(task, ref) end
  end
end
return {'recounted', looked}
