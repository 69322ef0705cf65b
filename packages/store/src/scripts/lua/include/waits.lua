-- A task's open waits, in its field `waits`: "number;due;kind;path" each, space-separated. Number 0 is a sleep, of kind
-- `sleep` or the limit within which it waits for room. Of kind `provider` is an
-- interaction that a worker answers by an LLM endpoint: nobody outside is asked.
local function parse_waits(text)
  local waits = {}
  for number, due, kind, path in string.gmatch(text or '', '(%d+);(%d+);(%a+);(%S+)') do
    waits[#waits + 1] = {number = tonumber(number), due = tonumber(due), kind = kind, path = path}
  end
  return waits
end

local function format_waits(waits)
  local parts = {}
  for place, wait in ipairs(waits) do
    parts[place] = string.format('%d;%d;%s;%s', wait.number, wait.due, wait.kind, wait.path)
  end
  return table.concat(parts, ' ')
end

-- The pending interaction with this number and its place among the waits, or nothing.
local function find_interaction(waits, number)
  number = tonumber(number)
  for place, wait in ipairs(waits) do
    if wait.number == number then return wait, place end
  end
end

-- The kind of the journal's entry: a call to an LLM endpoint answers a program as an agent does.
local function journal_kind(wait)
  return wait.number == 0 and 'sleep' or 'llm'
end

-- Whose answer a request waits for, by its field `summary`.
local function role_of(summary)
  return string.match(summary, '^%d+;(%a+);')
end

-- Whether an LLM request, by its field `summary`, asks for a text that comes in chunks.
local function asks_stream(summary)
  return summary and string.match(summary, '^%d+;[^;]*;([^;]*)') == 'streamText'
end

-- The refusal of what is asked of an interaction that is not pending any more, by its fields `answered` and `ended`.
local function refusal_of_closed(answered, ended)
  if answered then return {'interaction_already_answered'} end
  if ended then return {'interaction_' .. string.match(ended, '^[^;]+')} end
end

-- When the first of the waits, or the task itself, falls due.
local function first_deadline(waits, expires_at)
  local first = expires_at
  for _, wait in ipairs(waits) do
    if wait.due < first then first = wait.due end
  end
  return first
end
