#!lua flags=allow-oom
-- REPLICATION_BARRIER: writes something small, so that a WAIT behind it waits for all that its server has written so far. A
-- script that only confirms what an earlier call wrote writes nothing itself, and WAIT would not wait for that call.
-- Returns: {}
redis.call('INCR', K_mark)
return {}
