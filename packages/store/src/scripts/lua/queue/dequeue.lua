#!lua flags=allow-oom
-- DEQUEUE: gives a BullMQ job its batch: what it has of an earlier run, or else the first tasks of its list.
-- Keys: behind them the task of each hint
-- Arguments: topic: the tenant, a colon; list: ready or held; fresh 0: only what it has of an earlier run; bytes: how large the
-- tasks loaded here may be in all; programs: how many follow, those that the worker has, "name version" each; behind
-- them the hints: refs of tasks that are likely to be taken, and are loaded here then
-- Returns: {'taken', next, loaded, revision, waited, ref, ...}: next is the job to add, as "number list", or ''; loaded is JSON with an entry
--          for each ref: as begin_segment returns it, or false for what is still to be loaded, such as a large task; revision: how often the
--          tenant's agents have changed; waited: how long the first of them was ready, in ms, '' of none; {'again', '', '[]', '', '', ref, ...}: an earlier run of the job took it; {'lacking'}: the worker has the program of none of the list
-- A task is in one list or one batch, never in both, and a job that runs twice finds its own batch.
local now = clock()
local programs = tonumber(A_programs)
local taken_earlier = redis.call('HGET', K_jobs, A_number)
if taken_earlier then
  local reply = {'again', '', '[]', '', ''}
  for ref in string.gmatch(taken_earlier, '%S+') do reply[#reply + 1] = ref end
  return reply
end
if A_fresh == '0' then return {'taken', '', '[]', '', ''} end

local refs, waited = {}, ''
if A_list == 'ready' then
  local popped = redis.call('ZPOPMIN', K_ready, A_limit)
  for at = 1, #popped, 2 do refs[#refs + 1] = popped[at] end
  if popped[2] then waited = math.max(0, math.floor(now - popped[2] / 1000)) end
else
  for at = A_rest, A_rest + programs - 1 do
    local room = tonumber(A_limit) - #refs
    local from, to = '[' .. ARGV[at] .. ' ', '[' .. ARGV[at] .. '!'
    local found = room > 0 and redis.call('ZRANGEBYLEX', K_held, from, to, 'LIMIT', 0, room) or {}
    if #found > 0 then redis.call('ZREM', K_held, unpack(found)) end
    for _, member in ipairs(found) do refs[#refs + 1] = string.match(member, '%S+$') end
  end
end

local jobs = read_jobs()
if A_list == 'held' and #refs == 0 and jobs.held == A_number and redis.call('EXISTS', K_held) == 1 then return {'lacking'} end
if jobs[A_list] == A_number then
  redis.call('HDEL', K_jobs, A_list)
  jobs[A_list] = false
end
if #refs == 0 then return {'taken', request_next_job(now), '[]', '', ''} end
redis.call('HSET', K_jobs, A_number, table.concat(refs, ' '))
redis.call('ZADD', K_tenantsWithJobs, 'NX', now, tenant_of(A_topic))
jobs.running = jobs.running + 1

local task_keys, first_hint = {}, A_rest + programs
for at = first_hint, #ARGV do task_keys[ARGV[at]] = KEYS[7 + at - first_hint] end
local loaded, room = {}, tonumber(A_bytes)
for at, ref in ipairs(refs) do
  local segment, bytes = false, 0
  if task_keys[ref] and room > 0 then segment, bytes = begin_segment(task_keys[ref], A_number, false) end
  room = room - bytes
  loaded[at] = segment or false
end
return {'taken', request_next_job(now), cjson.encode(loaded), agent_revision(), waited, unpack(refs)}
