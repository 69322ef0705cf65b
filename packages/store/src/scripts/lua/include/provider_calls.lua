-- The calls of a tenant to LLM endpoints: its outbox of them, and at once its turns. Zset K_calls has "<ref>.<number>" of each open
-- interaction of kind `provider`. A score from FIRST_WAITING on is the microsecond at which the call joined: it waits for its turn.
-- One below has its turn, that is a BullMQ job: the score is the ms until which a worker holds the call, 0 until one has begun.
-- At most `providerCalls` of a tenant have their turn.
local FIRST_WAITING = 1e14

-- Puts a call behind those that wait.
local function add_call(number)
  cache.micros = cache.micros + 1
  redis.call('ZADD', K_calls, cache.micros, A_ref .. '.' .. number)
end

-- Gives those that have waited longest their turn, as far as there is room. Returns the jobs to add, as "<ref>.<number> call" each,
-- with commas between them, or ''. A caller that dies before it adds them leaves them to the sweep's check.
local function give_turns(now)
  local held = redis.call('ZCOUNT', K_calls, '-inf', '(' .. string.format('%d', FIRST_WAITING))
  local room = tonumber(read_tenant('providerCalls')[1]) - held
  if room <= 0 then return '' end
  local next_calls = redis.call('ZRANGEBYSCORE', K_calls, string.format('%d', FIRST_WAITING), '+inf', 'LIMIT', 0, room)
  if #next_calls == 0 then return '' end
  local jobs, values = {}, {}
  for at, call in ipairs(next_calls) do
    jobs[at] = call .. ' call'
    add_pair(values, 0, call)
  end
  write_all('ZADD', K_calls, values)
  redis.call('ZADD', K_tenantsWithJobs, 'NX', now, string.match(A_topic, '^[^:]+'))
  return table.concat(jobs, ',')
end

-- Takes calls out, those that are over or are of no use any more. Returns as give_turns.
local function drop_calls(now, calls)
  if #calls == 0 then return '' end
  write_all('ZREM', K_calls, calls)
  return give_turns(now)
end

-- Two requests for jobs as one.
local function join_jobs(one, other)
  if one == '' or other == '' then return one .. other end
  return one .. ',' .. other
end
