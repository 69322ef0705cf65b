#!lua
-- END_TURN: adds a turn's messages to its conversation and the outcome to the journal, and leaves the conversation's queue: all or
-- nothing. The first turn of a conversation creates it. Without messages it only leaves the queue.
-- Arguments: own: the ref of the task, which is also that of the conversation where it creates it; idle: ms after which a conversation that
-- nobody used is gone; keep: how long the records live; journal × (path, entry), then the messages, of which the first begins the turn
-- Returns: {'ended', next, ref...}: next is the ref of the task that has the turn now, or ''; then the conversations that had to go,
--          whose records the caller deletes; {'journaled', entry} when an earlier run of the segment landed it; {'missing'} when the
--          conversation was deleted; {'limit_storage', limit, most, used}; {'stale'} when the fence has moved
-- A turn that does not fit makes the oldest turns leave.
-- So many conversations leave at most in one run, and so many messages.
local MOST_DROPPED, MOST_LEAVING = 5, 300
local fence, journaled, bytes, principal, used = unpack(redis.call(
  'HMGET', K_task, F_fence, F_journal .. A_path, F_bytes, F_principal, F_usage))
if fence ~= A_fence then return {'stale'} end
if journaled then return {'journaled', journaled} end
-- Sums of LLM calls, "calls;tokens in;tokens out;ms;failed calls": those of the conversation and those of the turn.
local SUMS = '^(%d+);(%d+);(%d+);(%d+);(%d+)$'
local function sum_of(one, other)
  local a1, a2, a3, a4, a5 = string.match(one or '0;0;0;0;0', SUMS)
  local b1, b2, b3, b4, b5 = string.match(other, SUMS)
  return string.format('%d;%d;%d;%d;%d', a1 + b1, a2 + b2, a3 + b3, a4 + b4, a5 + b5)
end

local now = clock()
local ref = string.match(K_conversation, '[^:]+$')
local owner, queue, from, to, size, sums = unpack(redis.call(
  'HMGET', K_conversation, 'by', 'queue', 'from', 'to', 'bytes', 'usage'))
if not owner and ref ~= A_own then return {'missing'} end
from, to, size = tonumber(from or 0), tonumber(to or 0), tonumber(size or 0)
local first_message = A_rest + 2 * A_journal

local grown, added = owner and 0 or W_conversation, {}
for at = first_message, #ARGV do
  -- The mark by which whole turns leave together.
  added[#added + 1] = (at == first_message and '+' or '-') .. ARGV[at]
  grown = grown + #ARGV[at] + 1 + W_message
end
local limit, stored, most, most_messages, most_bytes = unpack(read_tenant(
  'storedBytes', 'stored', 'conversations', 'conversationMessages', 'conversationBytes'))
local refused = refusal_of_storage(limit, stored, grown, true)
if refused then return refused end

local entries, journal_bytes = {}, 0
for at = A_rest, first_message - 1, 2 do add_pair(entries, F_journal .. ARGV[at], ARGV[at + 1]) end
add_pair(entries, F_journal .. A_path, A_entry)
for at = 1, #entries, 2 do
  journal_bytes = journal_bytes + #entries[at + 1] + W_journal - bytes_of_field(entries[at], W_journal)
end
add_pair(entries, F_bytes, add_bytes(bytes, journal_bytes))
write_all('HSET', K_task, entries)

local refs = {}
for one in string.gmatch(queue or '', '%S+') do
  if one ~= A_own then refs[#refs + 1] = one end
end
local reply = {'ended', refs[1] or ''}
if #added > 0 then
  write_all('RPUSH', K_messages, added)
  to = to + #added
  local left = 0
  local function leave()
    local text = redis.call('LPOP', K_messages)
    from, left = from + 1, left + 1
    grown = grown - #text - W_message
  end
  while left < MOST_LEAVING and to - from > #added
    and (to - from > tonumber(most_messages) or size + grown > tonumber(most_bytes)) do
    leave()
    while to - from > #added and string.sub(redis.call('LINDEX', K_messages, 0), 1, 1) ~= '+' do leave() end
  end
  if not owner then redis.call('HSET', K_conversation, 'by', principal, 'at', now, 'title', A_title) end
  count_conversation_bytes(grown)
  redis.call('HSET', K_conversationSizes, ref, size + grown)
  redis.call('HINCRBY', K_conversation, 'turns', 1)
  redis.call('HSET', K_conversation, 'used', now, 'from', from, 'to', to, 'bytes', size + grown)
  redis.call('ZADD', K_conversations, now, ref .. '|' .. principal)
  local count = redis.call('ZCARD', K_conversations)
  -- Of many, some leave at once: then not each turn has records to delete.
  local left_of_too_many = tonumber(most) - math.min(MOST_DROPPED - 1, math.floor(most / 100))
  local target = count > tonumber(most) and left_of_too_many or tonumber(most)
  for _, member in ipairs(redis.call('ZRANGE', K_conversations, 0, MOST_DROPPED - 1, 'WITHSCORES')) do
    local score = redis.call('ZSCORE', K_conversations, member)
    if score and (count > target or tonumber(score) < now - tonumber(A_idle)) then
      reply[#reply + 1] = drop_conversation(member)
      count = count - 1
    end
  end
  for _, key in ipairs({K_conversation, K_messages}) do redis.call('PEXPIRE', key, A_keep) end
end
if owner or #added > 0 then
  redis.call('HSET', K_conversation, 'queue', table.concat(refs, ' '))
  if used then redis.call('HSET', K_conversation, 'usage', sum_of(sums, used)) end
end
return reply
