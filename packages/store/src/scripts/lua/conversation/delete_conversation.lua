#!lua flags=allow-oom
-- DELETE_CONVERSATION: takes a conversation out of the index, and deletes its record. Tasks in its queue end with `conversation_not_found`.
-- Returns: {'deleted'}, {'conversation_not_found'}, or a refusal of RECHECK. Its messages are the caller's to delete.
local refusal, principal, scopes = recheck_admission(clock())
if refusal then return refusal end
local owner = redis.call('HGET', K_conversation, 'by')
if not may_see(owner, principal, scopes) then return {'conversation_not_found'} end
drop_conversation(A_ref .. '|' .. owner)
redis.call('DEL', K_conversation)
return {'deleted'}
