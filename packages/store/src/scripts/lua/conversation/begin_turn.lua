#!lua flags=allow-oom
-- BEGIN_TURN: puts a task into the queue of a conversation, and gives it the turn when it is the first there. One task at a time
-- adds to a conversation.
-- Arguments: ended: tasks of the queue which the caller has found to have ended; most: tasks in the queue; first: the task whose turn, which
--            goes on, the conversation is to begin with, or ''; idle: ms after which the queue of a conversation that has not begun is gone
-- Returns: {'begun', from, to}: the messages so far have these numbers, `to` not included; {'waiting', refs}: the queue before the
--          task; {'limit', refs}: the queue, which is full; {'missing'}: there is no such conversation of the task's principal;
--          {'stale'} when the fence has moved
-- Repeating it changes nothing.
local fence, principal = unpack(redis.call('HMGET', K_task, F_fence, F_principal))
if fence ~= A_fence then return {'stale'} end
local owner, queue, from, to = unpack(redis.call('HMGET', K_conversation, 'by', 'queue', 'from', 'to'))
if owner ~= principal and (owner or A_first == '') then return {'missing'} end
if not owner then queue = queue or A_first end
local ended, refs, place = ' ' .. A_ended .. ' ', {}, nil
for ref in string.gmatch(queue or '', '%S+') do
  if ref == A_ref or not string.find(ended, ' ' .. ref .. ' ', 1, true) then
    refs[#refs + 1] = ref
    if ref == A_ref then place = #refs end
  end
end
if not place then
  if #refs >= tonumber(A_most) then return {'limit', table.concat(refs, ' ')} end
  place = #refs + 1
  refs[place] = A_ref
end
-- The turn that it was to begin with has ended, and has not begun it.
if place == 1 and not owner then return {'missing'} end
redis.call('HSET', K_conversation, 'queue', table.concat(refs, ' '))
if not owner then redis.call('PEXPIRE', K_conversation, A_idle) end
if place == 1 then return {'begun', from, to} end
return {'waiting', table.concat(refs, ' ', 1, place - 1)}
