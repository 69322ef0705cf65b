#!lua
-- COMMIT: writes a command's effect on a project and its outcome into the journal, both or neither.
-- KEYS: task project projects
-- ARGV: fence path entry version name journal sets ...
--       journal × (path, entry), sets × (field, value), then fields to delete; an empty fence: a call without a task
--       journal: what the segment has done before, such as the reads that the command rests on; a re-run must see the same
-- Returns: {'committed', version}, {'journaled', entry} when an earlier run of the segment landed it,
--          {'conflict', version} when the project is not at the expected version, {'stale'} when the fence has moved
-- @include batch
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
send('HSET', K_project, changes)
send('HDEL', K_project, deleted)
redis.call('ZADD', K_projects, 'NX', 0, A_name)
send('HSET', K_task, entries)
return {'committed', version}
