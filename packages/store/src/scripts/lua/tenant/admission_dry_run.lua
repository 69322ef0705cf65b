#!lua flags=allow-oom
-- ADMISSION_DRY_RUN: the checks of ADMIT without taking a token of the rate: before enough of a call is there to admit it,
-- and again for a caller that was admitted and is still connected.
-- Returns: {'ok', principal, scopes, expiresInMs, requestBytes, tools}, as ADMIT, or a refusal, as ADMIT
local refusal, principal, scopes, tenant, expires_in = admit(clock(), 'requestBytes')
-- Drops the writes of the rate bucket and of the last use.
deferred_writes = {}
if refusal then return refusal end
return {'ok', principal, scopes, expires_in, tenant[1], listed_tools()}
