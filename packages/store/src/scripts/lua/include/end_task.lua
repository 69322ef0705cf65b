-- Ends a task, whatever ends it: what is open is taken back, its places in the indexes go, its records stay readable
-- for the retention time. The fence moves, so a segment that still runs can write nothing any more.
-- `task` begins with its fields fe, open, pr, ev, w, q and op. Returns the job to add, or ''. Needs batch, jobs, opens,
-- notify and announce.
local function finish(task, now, status, payload, void)
  -- Empty is as good as gone, and costs no command of its own.
  local fields = {'st', status, 'rs', payload, 'up', now, 'fe', (task[1] or 0) + 1, 'open', '', 'w', '', 'q', ''}
  local references = {}
  for _, open in ipairs(parse_opens(task[2])) do
    if open.number > 0 then
      references[#references + 1] = A_ref .. '.' .. open.number .. '|' .. task[3]
      put(fields, 'x' .. open.number, string.format('%s;%d', void, now))
    end
  end
  send('HSET', K_task, fields)
  send('ZREM', K_pending, references)
  send('ZREM', K_claims, references)
  count_open(-1)
  defer('ZREM', K_deadlines, A_ref)
  local next_job = leave_queue(task[6], task[7], now)
  redis.call('PEXPIRE', K_task, A_retention)
  notify(task[5], A_member, task[4] or '0', status, payload)
  announce_task(task[3], #references > 0)
  return next_job
end
