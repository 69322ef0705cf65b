-- The outbox and the jobs of a tenant. A task that has something to do stands in the tenant's ready list (zset K_ready, by
-- the microsecond at which it joined) until a BullMQ job dequeues it; K_held has those that wait for a worker with their
-- program. Hash K_jobs: fields 'ready' and 'held' hold the number of the job that was added for the list and has not
-- begun; field <n> holds the batch of job n, which has begun: "ref ref ..."; field 'next' is the last number given.
-- A task's field `queue` says where it stands: 'ready', 'held', the number of the job that has it, or '' for none of them.
-- A list has at most one job that has not begun, so tenants take turns by BullMQ's own order, however long their lists are.

local function tenant_of(topic) return string.match(topic, '^[^:]+') end

-- How many jobs of one tenant may run at once: two for each live worker, of the eight that a worker runs.
local function max_running_jobs(now)
  cache.max_running_jobs = cache.max_running_jobs or 2 * math.max(1, redis.call('ZCOUNT', K_workers, now, '+inf'))
  return cache.max_running_jobs
end

-- The tenant's jobs: numbers of those added for a list, the last number given, how many have begun.
local function read_jobs()
  local name = 'jobs ' .. K_jobs
  if not cache[name] then
    local ready, held, last = unpack(redis.call('HMGET', K_jobs, 'ready', 'held', 'next'))
    local running = redis.call('HLEN', K_jobs)
    if ready then running = running - 1 end
    if held then running = running - 1 end
    if last then running = running - 1 end
    cache[name] = {ready = ready, held = held, next = tonumber(last or 0), running = running}
  end
  return cache[name]
end

-- The job that the caller must add for a list, as "number list", or '' where the list has one or the tenant runs enough.
-- A caller that dies before it adds the job leaves it to the sweep's check.
local function request_job(list, now)
  local jobs = read_jobs()
  if jobs[list] or jobs.running >= max_running_jobs(now) then return '' end
  jobs.next = jobs.next + 1
  jobs[list] = tostring(jobs.next)
  redis.call('HSET', K_jobs, list, jobs.next, 'next', jobs.next)
  redis.call('ZADD', K_tenantsWithJobs, 'NX', now, tenant_of(A_topic))
  return jobs.next .. ' ' .. list
end

-- Puts a task into the ready list, behind all others; the caller writes its field `queue`. Returns as request_job.
local function enqueue_task(now)
  cache.micros = cache.micros + 1
  defer_write('ZADD', K_ready, cache.micros, A_ref)
  return request_job('ready', now)
end

-- Requests a job for what stands ready without one: a tenant that ran enough was given none when it joined.
local function request_next_job(now)
  local job = ''
  if redis.call('EXISTS', K_ready) == 1 then job = request_job('ready', now) end
  if job == '' and redis.call('EXISTS', K_held) == 1 then job = request_job('held', now) end
  return job
end

-- Takes a task out of its job's batch. Returns as request_job: the end of a batch may make room for the next.
local function leave_batch(number, ref, now)
  local name = 'batch ' .. K_jobs .. ' ' .. number
  local batch = cache[name]
  if not batch then
    batch = {refs = {}, order = {}, count = 0}
    for one in string.gmatch(redis.call('HGET', K_jobs, number) or '', '%S+') do
      batch.refs[one] = true
      batch.order[#batch.order + 1] = one
      batch.count = batch.count + 1
    end
    cache[name] = batch
    local key = K_jobs
    deferred_writes[#deferred_writes + 1] = function()
      if batch.count == 0 then return end
      local left = {}
      for _, one in ipairs(batch.order) do
        if batch.refs[one] then left[#left + 1] = one end
      end
      redis.call('HSET', key, number, table.concat(left, ' '))
    end
  end
  if not batch.refs[ref] then return '' end
  batch.refs[ref] = nil
  batch.count = batch.count - 1
  if batch.count > 0 then return '' end
  local jobs = cache['jobs ' .. K_jobs]
  if jobs then jobs.running = jobs.running - 1 end
  redis.call('HDEL', K_jobs, number)
  return request_next_job(now)
end

-- Takes a task out of wherever it stands: its batch, or a list that it was given back to meanwhile. Returns as
-- request_job.
local function leave_queue(queue, program, now)
  if not queue or queue == '' then return '' end
  if queue == 'ready' then
    redis.call('ZREM', K_ready, A_ref)
  elseif queue == 'held' then
    redis.call('ZREM', K_held, program .. ' ' .. A_ref)
  else
    return leave_batch(queue, A_ref, now)
  end
  return ''
end
