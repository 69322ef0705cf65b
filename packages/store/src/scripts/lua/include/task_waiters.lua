-- Tells the replicas that hold a request for this task (`waiters`, its field 'w'), and only those, how it stands, a line
-- each, one message to a replica for all runs of the command; whoever calls takes them out. `seen` is the number of events that the program has consumed. A payload over 64 KiB is left for the
-- replica to read.
local function notify(waiters, member, seen, status, payload)
  if not waiters or waiters == '' then return end
  if #payload > 65536 then payload = '' end
  for channel in string.gmatch(waiters, '%S+') do
    local name = 'notices ' .. channel
    local lines = cache[name]
    if not lines then
      lines = {}
      cache[name] = lines
      deferred_writes[#deferred_writes + 1] = function() redis.call('PUBLISH', channel, table.concat(lines, '\n')) end
    end
    lines[#lines + 1] = member .. ' ' .. seen .. ' ' .. status .. ' ' .. payload
  end
end

-- The field and the value that note that the replica behind `channel` waits for this task too, or nothing where that
-- is noted already.
local function waiter(waiters, channel)
  if channel == '' then return end
  if not waiters or waiters == '' then return 'w', channel end
  if string.find(' ' .. waiters .. ' ', ' ' .. channel .. ' ', 1, true) then return end
  return 'w', waiters .. ' ' .. channel
end

local function register(waiters, channel)
  local field, value = waiter(waiters, channel)
  if field then redis.call('HSET', K_task, field, value) end
end
