#!lua flags=allow-oom
-- REQUEUE_LOST_JOBS: the tasks of jobs that BullMQ does not have any more, or has failed for good, are ready again. Also
-- requests a job for each list of the tenant that has none.
-- Keys: behind them each task
-- Arguments: topic: the tenant, a colon; lost: how many numbers of lost jobs follow; behind them the ref of each task
-- Returns: {next...}: the jobs to add, as "number list" each, and those of calls to LLM endpoints
local now = clock()
local lost = {}
for at = A_rest, A_rest + A_lost - 1 do lost[ARGV[at]] = true end
local first_ref = A_rest + A_lost
local task_keys = {}
for at = first_ref, #ARGV do task_keys[ARGV[at]] = KEYS[8 + at - first_ref] end
for number in pairs(lost) do
  for _, list in ipairs({'ready', 'held'}) do
    if redis.call('HGET', K_jobs, list) == number then redis.call('HDEL', K_jobs, list) end
  end
  local left = {}
  for ref in string.gmatch(redis.call('HGET', K_jobs, number) or '', '%S+') do
    local task_key = task_keys[ref]
    if not task_key then
      left[#left + 1] = ref
    elseif redis.call('EXISTS', task_key) == 1 then
      redis.call('HSET', task_key, F_queue, 'ready')
      redis.call('ZADD', K_ready, cache.micros, ref)
    end
  end
  if #left == 0 then
    redis.call('HDEL', K_jobs, number)
  else
    redis.call('HSET', K_jobs, number, table.concat(left, ' '))
  end
end
local reply = {}
for _, list in ipairs({'ready', 'held'}) do
  local key = list == 'ready' and K_ready or K_held
  local job = redis.call('EXISTS', key) == 1 and request_job(list, now) or ''
  if job ~= '' then reply[#reply + 1] = job end
end
local calls = give_turns(now)
if calls ~= '' then reply[#reply + 1] = calls end
local jobs = read_jobs()
if jobs.ready or jobs.held or jobs.running > 0 or redis.call('EXISTS', K_calls) == 1 then
  redis.call('ZADD', K_tenantsWithJobs, now, tenant_of(A_topic))
else
  redis.call('ZREM', K_tenantsWithJobs, tenant_of(A_topic))
end
return reply
