#!lua flags=allow-oom
-- BEGIN_TURN: puts a task into the queue of a conversation, and gives it the turn when it is the first there. One task at a time
-- adds to a conversation.
-- KEYS: task conversation
-- ARGV: fence ref ended most
--       ended: the first of the queue, which the caller has found to have ended, or ''; most: tasks in the queue
-- Returns: {'begun', from, to}: the messages so far have these numbers, `to` not included; {'waiting', ref} for the first of the
--          queue; {'limit', most} of a queue that is full; {'missing'}: there is no such conversation of the task's principal;
--          {'stale'} when the fence has moved
-- Repeating it changes nothing.
local fence, principal = unpack(redis.call('HMGET', K_task, F_fence, F_principal))
if fence ~= A_fence then return {'stale'} end
local owner, queue, from, to = unpack(redis.call('HMGET', K_conversation, 'by', 'queue', 'from', 'to'))
if owner ~= principal then return {'missing'} end
local refs, is_in, count = {}, false, 0
for ref in string.gmatch(queue or '', '%S+') do
  if not (#refs == 0 and count == 0 and ref == A_ended) then
    refs[#refs + 1] = ref
    if ref == A_ref then is_in = true end
  end
  count = count + 1
end
if not is_in then
  if #refs >= tonumber(A_most) then return {'limit', A_most} end
  refs[#refs + 1] = A_ref
end
redis.call('HSET', K_conversation, 'queue', table.concat(refs, ' '))
if refs[1] == A_ref then return {'begun', from, to} end
return {'waiting', refs[1]}
