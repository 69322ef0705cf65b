#!lua flags=allow-oom
-- ADMISSION_DRY_RUN: the checks of ADMIT without taking a token of the rate: before enough of a call is there to admit it,
-- and again for a caller that was admitted and is still connected.
-- KEYS: credential tenant
-- ARGV: digest principal scopes need bytes floor
-- Returns: {'ok', principal, scopes, requestBytes} or a refusal, as ADMIT
-- @include clock
-- @include admission
local refusal, principal, scopes, tenant = admit(clock(), 'requestBytes')
-- Drops the write of the rate bucket.
deferred_writes = {}
if refusal then return refusal end
return {'ok', principal, scopes, tenant[1]}
