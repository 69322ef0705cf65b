#!lua flags=no-writes,allow-oom
-- READ_PROJECT: some fields of a project as they are at one version; all of them where that is little.
-- KEYS: tenant project projectUse
-- ARGV: name whole ...
--       whole: a project whose values have at most so many bytes is read whole, 0 for never; then the fields
-- Returns: {'none'}; {'whole', version, indexed, use, tokens, field, value, ...}; {'part', version, indexed, use, tokens, value of each field, ...};
--          indexed is 1 where the index fields are those of this version; use: the entry of projectUse, '' for none; tokens: promptTokens
-- @include tenant_limits
local version, index_version = unpack(redis.call('HMGET', K_project, 'v', 'i'))
if not version then return {'none'} end
local indexed = index_version == version and 1 or 0
local function prepend(kind, values)
  table.insert(values, 1, read_tenant('promptTokens')[1])
  table.insert(values, 1, redis.call('HGET', K_projectUse, A_name) or '')
  table.insert(values, 1, indexed)
  table.insert(values, 1, version)
  table.insert(values, 1, kind)
  return values
end
-- More fields than these are not looked at: each costs a call.
local MOST_FIELDS = 128
local function is_small()
  if redis.call('HLEN', K_project) > MOST_FIELDS then return false end
  local bytes = 0
  for _, field in ipairs(redis.call('HKEYS', K_project)) do
    bytes = bytes + redis.call('HSTRLEN', K_project, field)
    if bytes > tonumber(A_whole) then return false end
  end
  return true
end
if A_whole ~= '0' and is_small() then return prepend('whole', redis.call('HGETALL', K_project)) end
return prepend('part', #ARGV < A_rest and {} or redis.call('HMGET', K_project, unpack(ARGV, A_rest)))
