#!lua flags=allow-oom
-- NOTE_PROJECT_USE: notes that a project was read, unless that was noted shortly before.
-- Returns: {'noted'}
local used, bytes = parse_use(redis.call('HGET', K_projectUse, A_name))
if clock() - used >= PROJECT_USED_EVERY and redis.call('EXISTS', K_project) == 1 then
  redis.call('HSET', K_projectUse, A_name, format_use(clock(), bytes))
end
return {'noted'}
