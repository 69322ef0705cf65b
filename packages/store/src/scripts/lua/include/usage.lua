-- What LLM calls use, counted by the script that takes an answer, when it takes it: an answer that comes again finds it taken.
-- For the task in its field `usage`, and for its tenant and the day in K_usage, a hash of sums "calls;tokens in;tokens out;ms;failed calls" by
-- "<operation>;<agent, or empty>;<model, or empty>".

-- A day has so many rows at most, beside one or two an operation. Of those over the first bound the model counts as `other`, of those
-- over the second the agent too.
local MOST_ROWS_BY_MODEL, MOST_ROWS = 128, 256
local SUMS = '^(%d+);(%d+);(%d+);(%d+);(%d+)$'

-- The rows of the day that the calls of a batch add to, by their names; they are written once.
local function new_rows_of_day()
  local rows, key = {}, K_usage
  cache[key] = rows
  deferred_writes[#deferred_writes + 1] = function()
    local values = {}
    for name, sums in pairs(rows) do
      add_pair(values, name, string.format('%d;%d;%d;%d;%d', unpack(sums)))
    end
    write_all('HSET', key, values)
    if cache['rows of ' .. key] then redis.call('PEXPIRE', key, USAGE_DAY_TTL) end
  end
  return rows
end

-- A row that no call of the batch has added to yet.
local function read_row_of_day(rows, operation, agent, model)
  local name = operation .. ';' .. agent .. ';' .. model
  if rows[name] then return rows[name] end
  local stored = redis.call('HGET', K_usage, name)
  if not stored then
    local count = cache['rows of ' .. K_usage] or redis.call('HLEN', K_usage)
    local agent_of_more = agent == '' and '' or 'other'
    if count >= MOST_ROWS and (agent ~= agent_of_more or model ~= 'other') then
      return read_row_of_day(rows, operation, agent_of_more, 'other')
    end
    if count >= MOST_ROWS_BY_MODEL and model ~= 'other' then return read_row_of_day(rows, operation, agent, 'other') end
    cache['rows of ' .. K_usage] = count + 1
  end
  local calls, tokens_in, tokens_out, ms, failed = string.match(stored or '0;0;0;0;0', SUMS)
  rows[name] = {tonumber(calls), tonumber(tokens_in), tonumber(tokens_out), tonumber(ms), tonumber(failed)}
  return rows[name]
end

-- Counts the answer to an LLM request, by the fields `program`, `summary` of the request, and `usage` of its task. `reported` is
-- what the answer says, "<tokens in>;<tokens out>;<1 if the call failed>;<model>", each empty where it gives none.
-- Returns the field `usage` as it is now, and the ms that the request took.
local function count_usage(program, summary, sums, reported, now)
  local tokens_in, tokens_out, failed, model = string.match(reported, '^(%d*);(%d*);(1?);(.*)$')
  local created, agent = string.match(summary, '^(%d+);[^;]*;[^;]*;[^;@]*@?([^;@]*)')
  local ms = math.max(0, now - created)
  tokens_in, tokens_out, failed = tonumber(tokens_in) or 0, tonumber(tokens_out) or 0, tonumber(failed) or 0
  local rows = cache[K_usage] or new_rows_of_day()
  local operation = string.match(program, '^%S*')
  local row = rows[operation .. ';' .. agent .. ';' .. model] or read_row_of_day(rows, operation, agent, model)
  row[1], row[2], row[3], row[4] = row[1] + 1, row[2] + tokens_in, row[3] + tokens_out, row[4] + ms
  row[5] = row[5] + failed
  if not sums then return string.format('1;%d;%d;%d;%d', tokens_in, tokens_out, ms, failed), ms end
  local calls, total_in, total_out, total_ms, total_failed = string.match(sums, SUMS)
  return string.format('%d;%d;%d;%d;%d', calls + 1, total_in + tokens_in, total_out + tokens_out, total_ms + ms, total_failed + failed), ms
end
