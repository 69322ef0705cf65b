-- What LLM calls use, counted by the script that takes an answer, when it takes it: an answer that comes again finds it taken.
-- For the task in its field `usage`, and for its tenant and the day in K_usage, a hash of sums "calls;tokens in;tokens out;ms" by
-- "<operation>;<agent, or empty>;<model, or empty>".
-- Needs deferred_writes.

-- A day has so many rows at most, beside one or two an operation. Of those over the first bound the model counts as `other`, of those
-- over the second the agent too.
local MOST_ROWS_BY_MODEL, MOST_ROWS = 128, 256

-- What an answer used, by the record of its task and its request: `reported` is "<tokens in>;<tokens out>;<model>", each empty
-- where the answer gives none. A request without a summary is an earlier release's: how long it took is not known.
local function read_usage(program, summary, reported, now)
  local tokens_in, tokens_out, model = string.match(reported, '^(%d*);(%d*);(.*)$')
  local created, asked = string.match(summary or '', '^(%d+);[^;]*;[^;]*;([^;]*)')
  return {
    operation = string.match(program, '^%S*'), agent = string.match(asked or '', '@(.*)$') or '', model = model,
    tokens_in = tokens_in, tokens_out = tokens_out, ms = created and math.max(0, now - created) or 0,
  }
end

-- As the receipt of the answer has it.
local function format_usage(used)
  return string.format('%d;%s;%s;%s', used.ms, used.tokens_in, used.tokens_out, used.model)
end

local function parse_sums(text)
  local calls, tokens_in, tokens_out, ms = string.match(text or '0;0;0;0', '^(%d+);(%d+);(%d+);(%d+)$')
  return {tonumber(calls), tonumber(tokens_in), tonumber(tokens_out), tonumber(ms)}
end

local function add_to_sums(sums, used)
  sums[1] = sums[1] + 1
  sums[2] = sums[2] + (tonumber(used.tokens_in) or 0)
  sums[3] = sums[3] + (tonumber(used.tokens_out) or 0)
  sums[4] = sums[4] + used.ms
end

local function format_sums(sums)
  return string.format('%d;%d;%d;%d', unpack(sums))
end

-- The field `usage` of a task, with one answer more.
local function add_task_usage(text, used)
  local sums = parse_sums(text)
  add_to_sums(sums, used)
  return format_sums(sums)
end

-- The rows of the day that the calls of a batch add to; they are written once.
local function rows_of_day()
  local rows = cache[K_usage]
  if rows then return rows end
  rows = {}
  cache[K_usage] = rows
  local key = K_usage
  deferred_writes[#deferred_writes + 1] = function()
    local values = {}
    for name, sums in pairs(rows) do add_pair(values, name, format_sums(sums)) end
    write_all('HSET', key, values)
    if cache['rows of ' .. key] then redis.call('PEXPIRE', key, USAGE_DAY_TTL) end
  end
  return rows
end

local function row_of_day(rows, operation, agent, model)
  local name = operation .. ';' .. agent .. ';' .. model
  if rows[name] then return rows[name] end
  local stored = redis.call('HGET', K_usage, name)
  if not stored then
    local count = cache['rows of ' .. K_usage] or redis.call('HLEN', K_usage)
    local agent_of_more = agent == '' and '' or 'other'
    if count >= MOST_ROWS and (agent ~= agent_of_more or model ~= 'other') then
      return row_of_day(rows, operation, agent_of_more, 'other')
    end
    if count >= MOST_ROWS_BY_MODEL and model ~= 'other' then return row_of_day(rows, operation, agent, 'other') end
    cache['rows of ' .. K_usage] = count + 1
  end
  rows[name] = parse_sums(stored)
  return rows[name]
end

local function count_usage_of_day(used)
  add_to_sums(row_of_day(rows_of_day(), used.operation, used.agent, used.model), used)
end
