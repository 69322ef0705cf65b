#!lua flags=allow-oom
-- DELETE_PROJECT: deletes a project with all that it holds, and gives its bytes back.
-- Arguments: key, arguments: of the call's idempotency key, empty for none
-- Returns: {'deleted'}, {'project_not_found'}, and what replay_of_outcome tells when a call with the same key landed: {'replayed', outcome}, {'idempotency_conflict'}
-- What was read of it before can be committed no more: no later project of this name has its versions.
local replay = replay_of_outcome()
if replay then return replay end
local version = redis.call('HGET', K_project, 'v')
local listed = redis.call('ZREM', K_projects, A_name)
if redis.call('UNLINK', K_project) + listed == 0 then return {'project_not_found'} end
local highest = math.max(tonumber(version or 0), tonumber(redis.call('HGET', K_tenant, 'deletedVersion') or 0))
redis.call('HSET', K_tenant, 'deletedVersion', string.format('%d', highest))
local _, bytes = parse_use(redis.call('HGET', K_projectUse, A_name))
count_for_tenant('stored', -bytes)
redis.call('HDEL', K_projectUse, A_name)
redis.call('DEL', K_projectChanges)
keep_outcome(clock())
local channel = change_channel()
if channel then
  redis.call('PUBLISH', channel, cjson.encode({
    kind = 'project', project = A_name, fields = 'meta tag updated task report about rules file', created = true, shaped = true,
  }))
end
return {'deleted'}
