#!lua flags=allow-oom
-- DELETE_PROJECT: deletes a project with all that it holds, and gives its bytes back.
-- KEYS: tenant project projects projectUse projectChanges activeChangeChannel
-- ARGV: name
-- Returns: {'deleted'}, {'project_not_found'}
-- What was read of it before can be committed no more: no later project of this name has its versions.
-- @include deferred_writes
-- @include storage
-- @include change_feed
local version = redis.call('HGET', K_project, 'v')
local listed = redis.call('ZREM', K_projects, A_name)
if redis.call('UNLINK', K_project) + listed == 0 then return {'project_not_found'} end
local highest = math.max(tonumber(version or 0), tonumber(redis.call('HGET', K_tenant, 'deletedVersion') or 0))
redis.call('HSET', K_tenant, 'deletedVersion', string.format('%d', highest))
local bytes_now = string.match(redis.call('HGET', K_projectUse, A_name) or '', '^%d+ (.+)$')
if bytes_now then add_bytes(bytes_now, -parse_bytes(bytes_now)) end
redis.call('HDEL', K_projectUse, A_name)
redis.call('DEL', K_projectChanges)
local channel = change_channel()
if channel then
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'project', project = A_name, fields = 'meta tag updated task report about rules file', created = true, shaped = true,
  }))
end
return {'deleted'}
