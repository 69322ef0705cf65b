#!lua
-- KEEP_OUTCOME: keeps the outcome of a call that changed nothing under its idempotency key.
-- KEYS: outcomes outcomeTimes
-- ARGV: key arguments outcome keep
--       arguments: their digest; keep: for how many ms
-- Returns: {'kept'}; {'replayed', outcome} of an earlier call with the same arguments, {'idempotency_conflict'}
-- Repeating it changes nothing.
-- @include clock
-- @include command_memory
local replay = replay_of_outcome()
if replay then return replay end
keep_outcome(clock())
return {'kept'}
