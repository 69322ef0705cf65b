#!lua
-- COMMIT: writes a command's effect on a project and its outcome into the journal, both or neither.
-- KEYS: tenant task project projects projectUse activeChangeChannel
-- ARGV: fence path entry version name journal sets ...
--       journal × (path, entry), sets × (field, value), then fields to delete; an empty fence: a call without a task
--       journal: what the segment has done before, such as the reads that the command rests on; a re-run must see the same
-- Returns: {'committed', version}, {'journaled', entry} when an earlier run of the segment landed it,
--          {'conflict', version} when the project is not at the expected version, {'stale'} when the fence has moved,
--          {'limit_storage', limit, most, used} of a change that would grow what has no room: nothing was written
-- @include clock
-- @include deferred_writes
-- @include storage
-- @include tenant_limits
-- @include project_storage
-- @include change_feed
local task_bytes
if A_fence ~= '' then
  local fence, journaled, bytes = unpack(redis.call('HMGET', K_task, F_fence, F_journal .. A_path, F_bytes))
  task_bytes = bytes
  if fence ~= A_fence then return {'stale'} end
  if journaled then return {'journaled', journaled} end
end
local version = redis.call('HGET', K_project, 'v') or '0'
if version ~= A_version then return {'conflict', version} end
local first_set = A_rest + tonumber(A_journal) * 2
local first_delete = first_set + tonumber(A_sets) * 2
local entries, changes, deleted = {}, {'v', version}, {}
for at = A_rest, first_set - 1, 2 do add_pair(entries, F_journal .. ARGV[at], ARGV[at + 1]) end
for at = first_set, first_delete - 1, 2 do add_pair(changes, ARGV[at], ARGV[at + 1]) end
for at = first_delete, #ARGV do deleted[#deleted + 1] = ARGV[at] end
if A_fence ~= '' then add_pair(entries, F_journal .. A_path, A_entry) end
local refused = count_project_change(A_version == '0', changes, deleted)
if refused then return refused end
-- A project that takes the place of a deleted one has no version that the other had.
if version == '0' then version = redis.call('HGET', K_tenant, 'deletedVersion') or 0 end
version = string.format('%d', version + 1)
changes[2] = version
local journal_bytes = 0
for at = 1, #entries, 2 do
  journal_bytes = journal_bytes + #entries[at + 1] + W_journal - bytes_of_field(entries[at], W_journal)
end
local bytes_now = add_bytes(task_bytes, journal_bytes)
if bytes_now then add_pair(entries, F_bytes, bytes_now) end

local channel = change_channel()
local count_before = channel and redis.call('HLEN', K_project)
write_all('HSET', K_project, changes)
local count_grown = channel and redis.call('HLEN', K_project)
write_all('HDEL', K_project, deleted)
redis.call('ZADD', K_projects, 'NX', 0, A_name)
write_all('HSET', K_task, entries)
if channel then
  -- Of which kinds the changed fields are: what stands before the first colon of their names.
  local kinds, seen = {}, {}
  local function add_kind(field)
    local kind = string.match(field, '^[^:]*')
    if not seen[kind] then kinds[#kinds + 1] = kind end
    seen[kind] = true
  end
  for at = 3, #changes, 2 do add_kind(changes[at]) end
  for _, field in ipairs(deleted) do add_kind(field) end
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'project', project = A_name, fields = table.concat(kinds, ' '), created = count_before == 0,
    shaped = count_grown > count_before or redis.call('HLEN', K_project) < count_grown,
  }))
end
return {'committed', version}
