#!lua flags=allow-oom
-- ADMIT: authenticates a call that has no script of its own.
-- Returns: {'ok', principal, scopes, expiresInMs, revision, tools}, expiresInMs being '' for never, revision how often the tenant's
--          agents have changed and tools what the key lists of them, '' where it selects nothing, or a refusal: {'unauthenticated'}, {'insufficient_scope', need},
--          {'tenant_suspended'}, {'limit_size', limit, bytes, most}, {'limit_rate', retryAfterMs, perSecond, keys}:
--          keys are those that share the rate now
local refusal, principal, scopes, tenant, expires_in = admit(clock(), 'agentChanges')
if refusal then return refusal end
return {'ok', principal, scopes, expires_in, tenant[1] or '0', listed_tools()}
