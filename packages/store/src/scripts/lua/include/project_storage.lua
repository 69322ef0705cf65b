-- What a project takes of what its tenant stores: hash K_projectUse, by the project's key "<ms of its last use> <bytes>".

-- How seldom a read notes that a project is used, in ms.
local PROJECT_USED_EVERY = 3600000

local function format_use(used, bytes) return string.format('%d %d', used, bytes) end

-- By how many bytes a change grows a project's hash: `changes` are field, value, ... Values are JSON, and so never empty: a length of 0
-- is a field that does not exist.
local function growth_of(project, changes, deleted)
  local grown = 0
  for at = 1, #changes, 2 do
    local field, before = changes[at], redis.call('HSTRLEN', project, changes[at])
    grown = grown + #changes[at + 1] - before
    if before == 0 then grown = grown + W_project_field + #field end
  end
  for _, field in ipairs(deleted) do
    local before = redis.call('HSTRLEN', project, field)
    if before > 0 then grown = grown - before - W_project_field - #field end
  end
  return grown
end

-- What the fields of the project count.
local function bytes_of_fields(is_new)
  local _, bytes = parse_use(redis.call('HGET', K_projectUse, A_name))
  return is_new and bytes or bytes - W_project - #A_name
end

-- Counts a change by which the fields of the project have `grown`, or returns the refusal of one that grows it and has no room.
local function count_project_change(is_new, grown)
  local stored_limit, stored, most_projects, project_limit = unpack(read_tenant(
    'storedBytes', 'stored', 'projects', 'projectBytes'))
  local use = redis.call('HGET', K_projectUse, A_name)
  local _, bytes = parse_use(use)
  if is_new then grown = grown + W_project + #A_name end
  local no_room = refusal_of_project_growth(not is_new and (use or '0 0'), grown, most_projects, project_limit)
  if no_room then return no_room end
  local refusal = refusal_of_storage(stored_limit, stored, grown)
  if refusal then return refusal end
  redis.call('HSET', K_projectUse, A_name, format_use(clock(), add_bytes(bytes, grown)))
end
