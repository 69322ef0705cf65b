#!lua flags=allow-oom
-- NOTE_PROJECT_USE: notes that a project was read, unless that was noted shortly before.
-- KEYS: projectUse project
-- ARGV: name
-- Returns: {'noted'}
-- @include clock
-- @include deferred_writes
-- @include storage
-- @include tenant_limits
-- @include project_room
-- @include project_storage
local used, bytes = parse_use(redis.call('HGET', K_projectUse, A_name))
if clock() - used >= PROJECT_USED_EVERY and redis.call('EXISTS', K_project) == 1 then
  redis.call('HSET', K_projectUse, A_name, format_use(clock(), bytes))
end
return {'noted'}
