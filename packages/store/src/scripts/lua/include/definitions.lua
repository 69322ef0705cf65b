-- A tenant's definitions of one kind ('workflow', 'agent' or 'prompt'). K_definitions has by name "<newest version>", or
-- "<newest version>;<enabled: 0 or 1>;<summary>", the summary being what a list of them shows. K_definition has the versions of one.
-- What they take is counted in `workflowBytes` too, for all kinds.

-- The entry of A_name, or nil where there is none.
local function read_entry()
  local text = redis.call('HGET', K_definitions, A_name)
  if not text then return end
  local version, enabled, summary = string.match(text, '^(%d+);?([01]?);?(.*)$')
  return {version = tonumber(version), enabled = enabled ~= '0', summary = summary, text = text}
end

local function write_entry(entry)
  local text = string.format('%d', entry.version)
  if entry.summary ~= '' then text = string.format('%s;%d;%s', text, entry.enabled and 1 or 0, entry.summary) end
  redis.call('HSET', K_definitions, A_name, text)
  entry.text = text
end

-- Of a stored version: its definition and the note of who stored it; 0 where there is none.
local function bytes_of_version(version)
  local length = redis.call('HSTRLEN', K_definition, version)
  return length > 0 and length + redis.call('HSTRLEN', K_definition, version .. ';by') + W_definition_version or 0
end

local function count_definition_bytes(by)
  count_for_tenant('workflowBytes', by)
  count_for_tenant('stored', by)
end

-- Counts a change of the tenant's agents: who checks one against the others learns that they have changed meanwhile.
local function count_agent_change()
  if A_kind == 'agent' then redis.call('HINCRBY', K_tenant, 'agentChanges', 1) end
end

-- The id of the tenant's primary agent, or false. One field says it, and so there is never more than one.
local function primary_agent() return read_tenant('primaryAgent')[1] end

-- The entity tag of A_name, whose entry is given; '' where there is none.
local function etag_of(entry)
  if not entry then return '' end
  local stored = redis.call('HGET', K_definition, entry.version .. ';by') or ''
  return format_etag(entry.text, stored, tostring(A_kind == 'agent' and primary_agent() == A_name))
end

-- The refusal of a change for an entity tag that is not the one that there is: {'definition_conflict', the one that there is, or ''}.
-- A_expected: the tag; '*' for any; 'none' where none may be there; '' for whatever is there
local function refusal_of_etag(entry)
  if A_expected == '' then return end
  local etag = etag_of(entry)
  local holds = A_expected == etag
  if A_expected == '*' then holds = etag ~= '' end
  if A_expected == 'none' then holds = etag == '' end
  if not holds then return {'definition_conflict', etag} end
end

-- Says that a definition has changed. `tools`: of an agent, that the list of tools has.
local function publish_definition_change(tools)
  local channel = change_channel()
  if not channel then return end
  local change = {kind = A_kind, [A_kind] = A_name}
  if A_kind == 'agent' then change.tools = tools end
  redis.call('PUBLISH', channel, cjson.encode(change))
end
