#!lua
-- COMMIT: writes a command's effect on a project, and its outcome into the journal or under its idempotency key: all or nothing.
-- Arguments: journal × (path, entry), sets × (field, value), copies × (from, to): the field to gets the value that from has now;
-- then fields to delete; an empty fence: a call without a task
-- parts: 0, or in how many parts the change was staged (STAGE_CHANGE), and what follows the journal is empty; kinds: of the
-- fields that it touches, what stands before the first colon of their names
-- journal: what the segment has done before, such as the reads that the command rests on; a re-run must see the same
-- attempt: of a call without a task, what no other has; key, arguments: of its idempotency key, empty for none
-- Returns: {'committed', version}, {'journaled', entry} when an earlier run of the segment landed it,
--          what replay_of_outcome tells when a call with the same key landed: {'replayed', outcome}, {'idempotency_conflict'},
--          {'conflict', version} when the project is not at the expected version, {'stale'} when the fence has moved,
--          {'limit_storage', limit, most, used} of a change that would grow what has no room: nothing was written
-- projectChanges: a list, the last change first: of each the names of its fields as JSON, '' for one that changed all or many
-- Repeating it changes nothing: what was landed is known by its place in the journal, or by its attempt.
-- What changed is known of so many changes, of so many fields and bytes of their names each, for so many ms after the last one.
local MOST_CHANGES, MOST_CHANGED_FIELDS, MOST_BYTES_OF_NAMES, KEEP_CHANGES = 256, 64, 2048, 60000
local task_bytes
if A_fence ~= '' then
  local fence, journaled, bytes = unpack(redis.call('HMGET', K_task, F_fence, F_journal .. A_path, F_bytes))
  task_bytes = bytes
  if fence ~= A_fence then return {'stale'} end
  if journaled then return {'journaled', journaled} end
end
-- A project that takes the place of a deleted one has no version that the other had.
local function version_after(version)
  if version == '0' then version = redis.call('HGET', K_tenant, 'deletedVersion') or 0 end
  return string.format('%d', version + 1)
end
if A_attempt ~= '' and has_landed(A_attempt) then return {'committed', version_after(A_version)} end
local replay = replay_of_outcome()
if replay then
  if A_parts ~= '0' then redis.call('UNLINK', K_staged) end
  return replay
end
local version = redis.call('HGET', K_project, 'v') or '0'
if version ~= A_version then
  if A_parts ~= '0' then redis.call('UNLINK', K_staged) end
  return {'conflict', version}
end
local first_set = A_rest + tonumber(A_journal) * 2
local first_copy = first_set + tonumber(A_sets) * 2
local first_delete = first_copy + tonumber(A_copies) * 2
local entries, changes, deleted = {}, {}, {}
for at = A_rest, first_set - 1, 2 do add_pair(entries, F_journal .. ARGV[at], ARGV[at + 1]) end
for at = first_set, first_copy - 1, 2 do add_pair(changes, ARGV[at], ARGV[at + 1]) end
for at = first_copy, first_delete - 1, 2 do
  local value = redis.call('HGET', K_project, ARGV[at])
  if value then add_pair(changes, ARGV[at + 1], value) end
end
for at = first_delete, #ARGV do deleted[#deleted + 1] = ARGV[at] end
if A_fence ~= '' then add_pair(entries, F_journal .. A_path, A_entry) end
local is_new, is_staged = A_version == '0', A_parts ~= '0'
local grown
if is_staged then
  local part, bytes = unpack(redis.call('HMGET', K_staged, 'part', 'bytes'))
  -- It was staged too long ago.
  if part ~= A_parts then return {'conflict', version} end
  grown = bytes - bytes_of_fields(is_new)
else
  grown = growth_of(K_project, changes, deleted)
end
local refused = count_project_change(is_new, grown)
if refused then
  if is_staged then redis.call('UNLINK', K_staged) end
  return refused
end
version = version_after(version)
local journal_bytes = 0
for at = 1, #entries, 2 do
  journal_bytes = journal_bytes + #entries[at + 1] + W_journal - bytes_of_field(entries[at], W_journal)
end
if task_bytes then add_pair(entries, F_bytes, add_bytes(task_bytes, journal_bytes)) end

local channel = change_channel()
local count_before, count_grown = channel and redis.call('HLEN', K_project), 0
local names = ''
if is_staged then
  redis.call('HDEL', K_staged, 'part', 'bytes')
  redis.call('UNLINK', K_project)
  redis.call('RENAME', K_staged, K_project)
  redis.call('PERSIST', K_project)
  redis.call('HSET', K_project, 'v', version)
else
  local changed = {}
  for at = 1, #changes, 2 do changed[#changed + 1] = changes[at] end
  for _, field in ipairs(deleted) do changed[#changed + 1] = field end
  if not is_new and #changed <= MOST_CHANGED_FIELDS then names = cjson.encode(changed) end
  if #names > MOST_BYTES_OF_NAMES then names = '' end
  add_pair(changes, 'v', version)
  write_all('HSET', K_project, changes)
  count_grown = channel and redis.call('HLEN', K_project)
  write_all('HDEL', K_project, deleted)
end
if redis.call('LPUSH', K_projectChanges, names) > MOST_CHANGES then
  redis.call('LTRIM', K_projectChanges, 0, MOST_CHANGES - 1)
end
redis.call('PEXPIRE', K_projectChanges, KEEP_CHANGES)
redis.call('ZADD', K_projects, 'NX', 0, A_name)
write_all('HSET', K_task, entries)
if A_attempt ~= '' then
  local now = clock()
  remember_landed(now, A_attempt)
  keep_outcome(now)
end
if channel then
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'project', project = A_name, fields = A_kinds, created = count_before == 0,
    shaped = is_staged or count_grown > count_before or redis.call('HLEN', K_project) < count_grown,
  }))
end
return {'committed', version}
