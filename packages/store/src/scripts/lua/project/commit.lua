#!lua
-- COMMIT: writes a command's effect on a project and its outcome into the journal, both or neither.
-- KEYS: task project projects listeners
-- ARGV: fence path entry version name journal sets ...
--       journal × (path, entry), sets × (field, value), then fields to delete; an empty fence: a call without a task
--       journal: what the segment has done before, such as the reads that the command rests on; a re-run must see the same
-- Returns: {'committed', version}, {'journaled', entry} when an earlier run of the segment landed it,
--          {'conflict', version} when the project is not at the expected version, {'stale'} when the fence has moved
-- @include deferred_writes
-- @include change_feed
if A_fence ~= '' then
  local task = redis.call('HMGET', K_task, 'fe', 'j:' .. A_path)
  if task[1] ~= A_fence then return {'stale'} end
  if task[2] then return {'journaled', task[2]} end
end
local version = redis.call('HGET', K_project, 'v') or '0'
if version ~= A_version then return {'conflict', version} end
version = version + 1
local journal, sets = tonumber(A_journal) * 2, tonumber(A_sets) * 2
local entries, changes, deleted = {}, {'v', version}, {}
local first = A_rest + journal
for at = A_rest, first - 1, 2 do put(entries, 'j:' .. ARGV[at], ARGV[at + 1]) end
for at = first, first + sets - 1, 2 do put(changes, ARGV[at], ARGV[at + 1]) end
for at = first + sets, #ARGV do deleted[#deleted + 1] = ARGV[at] end
if A_fence ~= '' then put(entries, 'j:' .. A_path, A_entry) end
local channel = listeners()
local fields = channel and redis.call('HLEN', K_project)
send('HSET', K_project, changes)
local grown = channel and redis.call('HLEN', K_project)
send('HDEL', K_project, deleted)
redis.call('ZADD', K_projects, 'NX', 0, A_name)
send('HSET', K_task, entries)
if channel then
  -- Of which kinds the changed fields are: what stands before the first colon of their names.
  local kinds, seen = {}, {}
  local function note(field)
    local kind = string.match(field, '^[^:]*')
    if not seen[kind] then kinds[#kinds + 1] = kind end
    seen[kind] = true
  end
  for at = 3, #changes, 2 do note(changes[at]) end
  for _, field in ipairs(deleted) do note(field) end
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'project', project = A_name, fields = table.concat(kinds, ' '), created = fields == 0,
    shaped = grown > fields or redis.call('HLEN', K_project) < grown,
  }))
end
return {'committed', version}
