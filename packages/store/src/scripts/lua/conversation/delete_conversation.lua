#!lua flags=allow-oom
-- DELETE_CONVERSATION: takes a conversation out of the index, and deletes its record. Tasks in its queue end with `conversation_not_found`.
-- Returns: {'deleted'}, {'conversation_not_found'}, {'insufficient_scope', 'admin'} where it is another principal's, or a refusal of RECHECK. Its messages are the caller's to delete.
local refusal, principal, scopes = recheck_admission(clock())
if refusal then return refusal end
local owner, refused = may_end(redis.call('HGET', K_conversation, 'by'), principal, scopes, 'admin', 'conversation_not_found')
if not owner then return refused end
drop_conversation(A_ref .. '|' .. owner)
redis.call('DEL', K_conversation)
return {'deleted'}
