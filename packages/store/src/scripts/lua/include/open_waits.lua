-- Waits stand in ARGV from `at` on: kind, path, milliseconds until due, body; `count` of them.

-- The first of those waits whose request is larger than the tenant allows, as the refusal that names its path. It says
-- so before anything is written: whoever runs the program ends that call with it, and goes on from there.
local function oversized(at, count, most)
  for body = at + 3, at + count * 4 - 1, 4 do
    if #ARGV[body] > tonumber(most) then
      return {'limit_size', 'delegatedRequestBytes', #ARGV[body], most, ARGV[body - 2]}
    end
  end
end

-- Opens interactions and sleeps of a task {principal, expires, opens, opened}. None is due after the task's own end, so
-- that no answer is accepted that the task cannot use any more.
-- Needs batch. Extends the task's opens, and `fields` by what the task's record is to say of them.
local function open_waits(task, now, at, count, fields)
  for _ = 1, count do
    local kind, path, body = ARGV[at], ARGV[at + 1], ARGV[at + 3]
    local due = math.min(now + tonumber(ARGV[at + 2]), task.expires)
    local number = 0
    if kind ~= 'sleep' then
      task.opened = task.opened + 1
      number = task.opened
      put(fields, 'i' .. number, string.format('%d;', now) .. body)
      defer('ZADD', K_pending, now, A_ref .. '.' .. number .. '|' .. task.principal)
    end
    task.opens[#task.opens + 1] = {number = number, due = due, kind = kind, path = path}
    at = at + 4
  end
  put(fields, 'sq', task.opened)
end
