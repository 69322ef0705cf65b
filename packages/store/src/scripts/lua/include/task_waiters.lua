-- The replicas that hold a request for a task until it parks or ends: their channels stand in its field `waiters`. One with a
-- '!' before it waits for the end alone: it is not told of parks, and stays in the field until then.

-- The waiters that are told of a park too, and those that stay.
local function split_waiters(waiters)
  if not waiters or not string.find(waiters, '!', 1, true) then return waiters or '', '' end
  local told, staying = {}, {}
  for channel in string.gmatch(waiters, '%S+') do
    local list = string.sub(channel, 1, 1) == '!' and staying or told
    list[#list + 1] = channel
  end
  return table.concat(told, ' '), table.concat(staying, ' ')
end

-- Notifies them, and only them, of the task's state: a line each, one message to a replica for all calls of the batch.
-- The caller clears the field. `seen` is the number of events that the program has consumed; `payload`: what waiters show of it, as
-- JSON without line breaks. One over 64 KiB is left for the replica to read, and so is none.
local function notify_task_waiters(waiters, topic, seen, status, payload)
  if not waiters or waiters == '' then return end
  if #payload > 65536 then payload = '' end
  for channel in string.gmatch(waiters, '!?(%S+)') do
    local name = 'notices ' .. channel
    local lines = cache[name]
    if not lines then
      lines = {}
      cache[name] = lines
      deferred_writes[#deferred_writes + 1] = function() redis.call('PUBLISH', channel, table.concat(lines, '\n')) end
    end
    lines[#lines + 1] = topic .. ' ' .. seen .. ' ' .. status .. ' ' .. payload
  end
end

-- The field and the value that add the replica behind `channel` to the waiters; nothing where it is among them already.
local function added_waiter(waiters, channel)
  if channel == '' then return end
  if not waiters or waiters == '' then return F_waiters, channel end
  if string.find(' ' .. waiters .. ' ', ' ' .. channel .. ' ', 1, true) then return end
  return F_waiters, waiters .. ' ' .. channel
end
