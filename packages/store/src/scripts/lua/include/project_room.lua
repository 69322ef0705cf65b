-- Room for a project among those of its tenant, and within its own size: hash K_projectUse, by its key "<ms of its last use> <bytes>".

local function parse_use(entry)
  local used, bytes = string.match(entry or '0 0', '^(%d+) (%d+)$')
  return tonumber(used), tonumber(bytes)
end

-- The refusal of what grows a project by so many bytes, or makes it, or nil; `use`: its entry, false for a project that does not exist.
-- For projectBytes its last fact is how many bytes the project would take.
local function refusal_of_project_growth(use, grown, most_projects, project_limit)
  if not use then
    local projects = redis.call('ZCARD', K_projects)
    if projects >= tonumber(most_projects) then return {'limit_storage', 'projects', most_projects, tostring(projects)} end
  end
  local _, bytes = parse_use(use)
  if grown > 0 and bytes + grown > tonumber(project_limit) then
    return {'limit_storage', 'projectBytes', project_limit, string.format('%d', bytes), string.format('%d', bytes + grown)}
  end
end
