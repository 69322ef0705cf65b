#!lua flags=allow-oom
-- FORESEE: what an admission would come to: before there is enough of a call to admit it, and for who was admitted once
-- and is still there. Counts nothing.
-- KEYS: credential tenant
-- ARGV: digest principal scopes need bytes floor
-- Returns: {'ok', principal, scopes} or a refusal, as ADMIT
-- @include clock
-- @include admission
local refusal, principal, scopes = admit(clock())
-- What is only foreseen has taken nothing from the bucket.
deferred_writes = {}
if refusal then return refusal end
return {'ok', principal, scopes}
