#!lua flags=allow-oom
-- LOAD: hands the leased tasks to the one who will run their segments, each behind a new fence.
-- KEYS: leased task...
-- ARGV: member...
-- Returns: for each task false (it ended or is gone, and its lease with it; or its lease went to another), or {fence, tries, field, value, ...}
-- @include load
local reply = {}
for at = 2, #KEYS do
  reply[at - 1] = redis.call('ZSCORE', K_leased, ARGV[at - 1]) and load_task(KEYS[at], ARGV[at - 1])
end
return reply
