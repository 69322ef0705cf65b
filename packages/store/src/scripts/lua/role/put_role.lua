#!lua flags=allow-oom
-- PUT_ROLE: sets what a role's requests are asked of, or takes that back, unless it has changed since it was read.
-- Arguments: before: what the caller has read, '' for nothing; definition: what stands there then, '' for nothing
-- Returns: {'stored'}, {'conflict'} where something else stands there, or a refusal of RECHECK
local refusal = recheck_admission(clock())
if refusal then return refusal end
if (redis.call('HGET', K_roles, A_role) or '') ~= A_before then return {'conflict'} end
if A_definition == '' then
  redis.call('HDEL', K_roles, A_role)
else
  redis.call('HSET', K_roles, A_role, A_definition)
end
return {'stored'}
