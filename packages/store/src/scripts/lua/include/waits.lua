-- A task's open waits, in its field 'open': "number;due;kind;path" each, space-separated. Number 0 is a sleep.
local function parse_opens(text)
  local opens = {}
  for number, due, kind, path in string.gmatch(text or '', '(%d+);(%d+);(%a+);(%S+)') do
    opens[#opens + 1] = {number = tonumber(number), due = tonumber(due), kind = kind, path = path}
  end
  return opens
end

local function format_opens(opens)
  local parts = {}
  for index, open in ipairs(opens) do
    parts[index] = string.format('%d;%d;%s;%s', open.number, open.due, open.kind, open.path)
  end
  return table.concat(parts, ' ')
end

-- MCP's status of a task that has not ended: does someone outside have to act?
local function status_of(opens)
  for _, open in ipairs(opens) do
    if open.kind ~= 'sleep' then return 'input_required' end
  end
  return 'working'
end

-- The task's one entry among the deadlines: the first thing that falls due. It may stand too early, never too late.
local function first_due(opens, expires)
  local first = expires
  for _, open in ipairs(opens) do
    if open.due < first then first = open.due end
  end
  return first
end
