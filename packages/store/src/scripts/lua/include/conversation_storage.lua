-- What a tenant's conversations take of what it stores, `conversationsStored`. Hash K_conversationSizes: the bytes of
-- each, by its ref.

local function count_conversation_bytes(by)
  count_for_tenant('conversationsStored', by)
  count_for_tenant('stored', by)
end

-- Takes a conversation out of the index, with its bytes. The caller deletes its records.
local function drop_conversation(member)
  local ref = string.match(member, '^[^|]+')
  redis.call('ZREM', K_conversations, member)
  count_conversation_bytes(-(redis.call('HGET', K_conversationSizes, ref) or 0))
  redis.call('HDEL', K_conversationSizes, ref)
  return ref
end
