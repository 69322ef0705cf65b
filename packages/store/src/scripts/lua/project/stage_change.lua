#!lua
-- STAGE_CHANGE: stages one part of a large change of a project in a hash of its own, which COMMIT puts in the place of the project.
-- Arguments: version: of the project that the change was computed from, 0 for none; part: its number, from 1; cursor: '' or where to go on
-- with the fields that the project has, which are staged first, '0' at the beginning; then sets × (field, value),
-- copies × (from, to), and fields to delete
-- Returns: {'staged', cursor, copied}: cursor is '0' once all fields of the project are staged; copied: how many of the copies were made, the
--          rest is for the next part; {'conflict', version}: the project has another version by now, and nothing is staged any more
-- Fields `part` and `bytes` of the hash: the last part, and what the fields that a project keeps count of what its tenant stores.
-- Repeating it changes nothing.
-- A part passes so many fields of the project, and so many bytes of what it copies.
local PAGE_FIELDS, PAGE_BYTES, STAGED_TTL = 200, 262144, 60000

local version = redis.call('HGET', K_project, 'v') or '0'
local last = redis.call('HGET', K_staged, 'part') or '0'
if version ~= A_version or (last ~= A_part and tonumber(last) ~= A_part - 1) then
  redis.call('UNLINK', K_staged)
  return {'conflict', version}
end

local grown = 0
local function stage_page(cursor)
  local passed, bytes, step = 0, 0, 1
  repeat
    local found
    cursor, found = unpack(redis.call('HSCAN', K_project, cursor, 'COUNT', step))
    for at = 1, #found, 2 do
      local field, value = found[at], found[at + 1]
      if field ~= 'v' and redis.call('HSETNX', K_staged, field, value) == 1 then
        grown = grown + #field + #value + W_project_field
      end
      passed, bytes = passed + 1, bytes + #value
    end
    step = math.min(step * 2, 16)
  until cursor == '0' or passed >= PAGE_FIELDS or bytes >= PAGE_BYTES
  return cursor
end
local cursor = A_cursor == '' and '0' or stage_page(A_cursor)

local first_copy = A_rest + tonumber(A_sets) * 2
local first_delete = first_copy + tonumber(A_copies) * 2
local changes, deleted, copied, bytes = {}, {}, 0, 0
for at = A_rest, first_copy - 1, 2 do add_pair(changes, ARGV[at], ARGV[at + 1]) end
for at = first_copy, first_delete - 1, 2 do
  if bytes >= PAGE_BYTES then break end
  local value = redis.call('HGET', K_project, ARGV[at])
  if value then
    add_pair(changes, ARGV[at + 1], value)
    bytes = bytes + #value
  end
  copied = copied + 1
end
for at = first_delete, #ARGV do deleted[#deleted + 1] = ARGV[at] end
grown = grown + growth_of(K_staged, changes, deleted)
write_all('HSET', K_staged, changes)
write_all('HDEL', K_staged, deleted)
redis.call('HSET', K_staged, 'part', A_part)
redis.call('HINCRBY', K_staged, 'bytes', grown)
redis.call('PEXPIRE', K_staged, STAGED_TTL)
return {'staged', cursor, copied}
