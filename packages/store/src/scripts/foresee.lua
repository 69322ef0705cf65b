#!lua flags=allow-oom
-- FORESEE: what the admission of a call would come to, before there is enough of the call to admit it. Counts nothing.
-- KEYS: credential tenant
-- ARGV: digest principal scopes need bytes floor
-- Returns: {'ok', principal, scopes} or a refusal, as ADMIT
-- @include clock
-- @include admit
local refusal, principal, scopes = admit(clock())
-- What is only foreseen has taken nothing from the bucket.
later = {}
if refusal then return refusal end
return {'ok', principal, scopes}
