#!lua flags=allow-oom
-- READ_PROGRESS: how a workflow's task stands, with what it began with.
-- Arguments: operation: what the task of a workflow is called
-- Returns: {'task_not_found'}; {'task_not_workflow', operation}; a refusal of RECHECK; or
--          {'ok', principal, scopes, owner, status, input, revision, path, text, ...}, the first two of whoever reads
local refusal, principal, scopes = recheck_admission(clock())
if refusal then return refusal end
local owner = visible_owner(principal, scopes)
if not owner then return {'task_not_found'} end
local program, status, input, revision = unpack(redis.call('HMGET', K_task, F_program, F_status, F_input, F_revision))
local operation = string.match(program, '^%S+')
if operation ~= A_operation then return {'task_not_workflow', operation} end
local reply = {'ok', principal, scopes, owner, status, input or '', revision or '0'}
local fields = {}
for _, field in ipairs(redis.call('HKEYS', K_task)) do
  if string.sub(field, 1, #F_progress) == F_progress then fields[#fields + 1] = field end
end
if #fields == 0 then return reply end
for at, text in ipairs(redis.call('HMGET', K_task, unpack(fields))) do
  reply[#reply + 1] = string.sub(fields[at], #F_progress + 1)
  reply[#reply + 1] = text
end
return reply
