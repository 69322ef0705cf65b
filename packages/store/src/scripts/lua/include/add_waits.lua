-- Waits in ARGV, `count` of them from `from` on: kind, path, milliseconds until due, request, summary. A sleep has no request.
local WAIT_ARGS = 5

-- The refusal of the first request that is larger than `limit` bytes, by its path, or nil. Asked before anything is
-- written: whoever runs the program ends that call with it, and goes on from there.
local function refusal_of_oversized(from, count, limit)
  local most = tonumber(limit)
  for at = from, from + (count - 1) * WAIT_ARGS, WAIT_ARGS do
    local path, request = ARGV[at + 1], ARGV[at + 3]
    if #request > most then return {'limit_size', 'delegatedRequestBytes', #request, limit, path} end
  end
end

-- Opens interactions and sleeps of a task {principal, expires_at, waits, interactions_opened}. None is due after the
-- task's own end, so that no answer is accepted that the task cannot use any more.
-- Extends the task's waits, and `fields` by what its record is to hold of them. Returns the bytes of those. Where `task.calls`
-- is set then, some wait for their turn.
local function add_waits(task, now, from, count, fields)
  local bytes = 0
  for at = from, from + (count - 1) * WAIT_ARGS, WAIT_ARGS do
    local kind, path, request, summary = ARGV[at], ARGV[at + 1], ARGV[at + 3], ARGV[at + 4]
    local due = math.min(now + tonumber(ARGV[at + 2]), task.expires_at)
    local number = 0
    if request ~= '' then
      task.interactions_opened = task.interactions_opened + 1
      number = task.interactions_opened
      local created = string.format('%d;', now)
      add_pair(fields, F_request .. number, created .. request)
      bytes = bytes + #created + #request + W_request
      if summary ~= '' then
        add_pair(fields, F_summary .. number, created .. summary)
        bytes = bytes + #created + #summary + W_summary
      end
      if kind == 'provider' then
        add_call(number)
        task.calls = true
      else
        defer_write('ZADD', K_pending, now, A_ref .. '.' .. number .. '|' .. task.principal)
      end
    end
    task.waits[#task.waits + 1] = {number = number, due = due, kind = kind, path = path}
  end
  add_pair(fields, F_interactions_opened, task.interactions_opened)
  return bytes
end
