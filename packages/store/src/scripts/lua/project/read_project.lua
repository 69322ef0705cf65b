#!lua flags=no-writes,allow-oom
-- READ_PROJECT: some fields of a project as they are at one version, and what has changed since another; all of them where that is little.
-- Arguments: whole: a project whose values have at most so many bytes is read whole, 0 for never; since: the version that the reader
-- knows, '' for none; then the fields
-- Returns: {'none'}; {'whole', version, use, tokens, -1, field, value, ...};
--          {'part', version, use, tokens, known, value of each field, ..., changed field, its value, ...};
--          use: the entry of projectUse, '' for none; tokens: promptTokens;
--          known: how many fields have changed, -1 where that is not known any more
local version = redis.call('HGET', K_project, 'v')
if not version then return {'none'} end
local use = redis.call('HGET', K_projectUse, A_name) or ''
local function reply(kind, known, ...)
  local values = {kind, version, use, read_tenant('promptTokens')[1], known}
  for _, list in ipairs({...}) do
    for at = 1, #list do values[#values + 1] = list[at] end
  end
  return values
end
-- More fields than these are not looked at: each costs a call.
local MOST_FIELDS = 128
-- The bytes of these fields' values, nil where they are more than so many.
local function bytes_within(most, fields)
  local bytes = 0
  for _, field in ipairs(fields) do
    bytes = bytes + redis.call('HSTRLEN', K_project, field)
    if bytes > most then return nil end
  end
  return bytes
end
-- The readers of one command are given at most so many fields of what has changed, and so many bytes of that and of whole projects;
-- beyond them they read more by name.
cache.fields_left, cache.bytes_left = cache.fields_left or 1000, cache.bytes_left or 262144
if A_whole ~= '0' and redis.call('HLEN', K_project) <= MOST_FIELDS then
  local bytes = bytes_within(math.min(tonumber(A_whole), cache.bytes_left), redis.call('HKEYS', K_project))
  if bytes then
    cache.bytes_left = cache.bytes_left - bytes
    return reply('whole', -1, redis.call('HGETALL', K_project))
  end
end
-- The names of the fields that have changed, nil where that is not known.
local function fields_changed()
  if A_since == version then return {} end
  if A_since == '' or A_since == '0' then return nil end
  local missed = version - A_since
  local log = redis.call('LRANGE', K_projectChanges, 0, missed - 1)
  if missed < 0 or #log < missed then return nil end
  local fields, seen = {}, {}
  for _, entry in ipairs(log) do
    if entry == '' then return nil end
    for _, field in ipairs(cjson.decode(entry)) do
      if not seen[field] then fields[#fields + 1] = field end
      seen[field] = true
    end
  end
  local bytes = #fields <= cache.fields_left and bytes_within(cache.bytes_left, fields)
  if not bytes then return nil end
  cache.fields_left, cache.bytes_left = cache.fields_left - #fields, cache.bytes_left - bytes
  return fields
end
local values = #ARGV < A_rest and {} or redis.call('HMGET', K_project, unpack(ARGV, A_rest))
local changed = fields_changed()
if not changed then return reply('part', -1, values) end
local pairs_changed = {}
for at, value in ipairs(#changed > 0 and redis.call('HMGET', K_project, unpack(changed)) or {}) do
  pairs_changed[at * 2 - 1], pairs_changed[at * 2] = changed[at], value
end
return reply('part', #changed, values, pairs_changed)
