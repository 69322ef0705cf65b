-- Ends a task, whatever ends it: what is open is cancelled or expired (`interaction_end`), its places in the indexes go,
-- its record stays readable for the retention time. The fence moves, so a segment that still runs can write nothing more.
-- `task` is what read_task_to_end read. Returns the job to add, or ''.

-- A result of more bytes is told to a workflow by its length, and so is one for which its record has no room.
local MOST_OF_RESULT, MOST_OF_WORKFLOW = 262144, 2097152

-- A task that a step of a workflow has started says so: "<ref of the workflow's task> <what that calls this one>". Whoever ends it has
-- to give the workflow's record as K_parent. This is the reply to one that did not: nothing was written, and it comes again.
local function refusal_without_parent(parent)
  if parent and parent ~= A_parent then return {'parent', parent} end
end

-- Writes the end of a step's task into the record of its workflow, which takes the result from there (settle-children.ts). What
-- the workflow does not wait for any more is left out.
local function record_in_parent(parent, now, status, payload)
  local ref, link = string.match(parent, '^(%S+) (%S+)$')
  local owner, parent_status, bytes, revision, call = unpack(redis.call(
    'HMGET', K_parent, F_principal, F_status, F_bytes, F_revision, F_progress .. 'c.' .. link))
  if not call or has_ended(parent_status) then return end
  local is_too_long = status == 'completed'
    and (#payload > MOST_OF_RESULT or bytes + #payload > MOST_OF_WORKFLOW)
  local turn = (revision or 0) + 1
  local kept = is_too_long and '"length":' .. #payload or '"outcome":' .. payload
  local entry = string.format('{"turn":%d,"status":"%s",%s}', turn, status, kept)
  redis.call('HSET', K_parent, F_progress .. 'd.' .. link, entry, F_revision, turn, F_updated_at, now)
  redis.call('HSET', K_parent, F_bytes, add_bytes(bytes, #entry + W_progress))
  publish_task_change(owner, false, tenant_of(A_topic) .. ':' .. ref)
end

-- What ending K_task needs of its record, by the names of the fields; and behind it the further fields that are asked for.
local function read_task_to_end(...)
  local read = redis.call(
    'HMGET', K_task, F_fence, F_waits, F_principal, F_events, F_waiters, F_queue, F_program, F_bytes, F_parent, F_status,
    F_traceparent, ...)
  local task = {}
  task.fence, task.waits, task.principal, task.events, task.waiters, task.queue, task.program, task.bytes, task.parent,
    task.status, task.traceparent = unpack(read, 1, 11)
  return task, unpack(read, 12)
end

local function end_task(task, now, status, payload, interaction_end)
  -- Empty reads as absent, and costs no HDEL.
  local fields = {
    F_status, status, F_outcome, payload, F_updated_at, now, F_fence, (task.fence or 0) + 1,
    F_waits, '', F_waiters, '', F_queue, '',
  }
  local references, calls, grown = {}, {}, #payload
  for _, wait in ipairs(parse_waits(task.waits)) do
    if wait.number > 0 then
      if wait.kind == 'provider' then
        calls[#calls + 1] = A_ref .. '.' .. wait.number
      else
        references[#references + 1] = A_ref .. '.' .. wait.number .. '|' .. task.principal
      end
      local ended = string.format('%s;%d', interaction_end, now)
      add_pair(fields, F_ended .. wait.number, ended)
      grown = grown + #ended + W_ended
    end
  end
  add_pair(fields, F_bytes, add_bytes(task.bytes, grown, task.bytes + grown))
  write_all('HSET', K_task, fields)
  write_all('ZREM', K_pending, references)
  write_all('ZREM', K_claims, references)
  count_for_tenant('open', -1)
  defer_write('ZREM', K_deadlines, A_ref)
  local next_job = join_jobs(leave_queue(task.queue, task.program, now), drop_calls(now, calls))
  -- The sweep deletes the record long before it expires.
  redis.call('PEXPIRE', K_task, A_retention + RECORD_GRACE)
  retain_task(now)
  notify_task_waiters(task.waiters, A_topic, task.events or '0', status, payload)
  publish_task_change(task.principal, #references > 0)
  if task.parent then record_in_parent(task.parent, now, status, payload) end
  return next_job
end
