#!lua
-- PARK: ends a segment that awaits something: records what it did, opens what it awaits, leaves its job's batch.
-- Arguments: journal × (path, entry), drops × path, waits × (kind, path, ms until due, request, summary)
-- Returns: {'parked', next}: next is the jobs to add, as OPEN says; {'again', event, next} when an event came that
--          this segment has not seen (the task stays in the batch);
--          {'stale'} when the fence has moved, {'limit_size', limit, bytes, most, path} of a request that is too large,
--          {'limit_storage', limit, most, used}: nothing was written
-- Transitions: task working -> input_required, interaction new -> pending
local fence, open, expires, events, principal, opened_before, waiters, queue, moved, bytes, program = unpack(redis.call(
  'HMGET', K_task, F_fence, F_waits, F_expires_at, F_events, F_principal, F_interactions_opened, F_waiters, F_queue, F_moved,
  F_bytes, F_program))
if fence ~= A_fence then return {'stale'} end
local now = clock()
local journal, drops, wait_count = tonumber(A_journal), tonumber(A_drops), tonumber(A_waits)
local first_drop = A_rest + journal * 2
local first_wait = first_drop + drops
local request_bytes, pending_list_waiters
if wait_count > 0 then
  local stored_limit, stored
  request_bytes, pending_list_waiters, stored_limit, stored = unpack(read_tenant(
    'delegatedRequestBytes', 'watch', 'storedBytes', 'stored'))
  local refusal = refusal_of_oversized(first_wait, wait_count, request_bytes)
  if refusal then return refusal end
  local sent = 0
  for at = first_wait, #ARGV, WAIT_ARGS do sent = sent + #ARGV[at + 3] end
  local too_much = refusal_of_storage(stored_limit, stored, sent, true)
  if too_much then return too_much end
end

local event = events or '0'
local again = event ~= A_seen
-- The segment is over: what its holder sends again after a lost reply must not open its waits a second time.
local fields = {F_fence, A_fence + 1, F_updated_at, now, F_events_seen, A_seen, F_tries, 0}
local told_waiters, staying_waiters = split_waiters(waiters)
if not again then
  add_pair(fields, F_queue, '')
  if told_waiters ~= '' then add_pair(fields, F_waiters, staying_waiters) end
end
local grown = 0
for at = A_rest, first_drop - 1, 2 do
  add_pair(fields, F_journal .. ARGV[at], ARGV[at + 1])
  grown = grown + #ARGV[at + 1] + W_journal - bytes_of_field(F_journal .. ARGV[at], W_journal)
end
local dropped = {}
for at = first_drop, first_wait - 1 do
  dropped[#dropped + 1] = F_journal .. ARGV[at]
  grown = grown - bytes_of_field(F_journal .. ARGV[at], W_journal)
end
opened_before = tonumber(opened_before or 0)
local waits, expires_at = parse_waits(open), tonumber(expires)
local task = {principal = principal, expires_at = expires_at, waits = waits, interactions_opened = opened_before}
grown = grown + add_waits(task, now, first_wait, wait_count, fields)
add_pair(fields, F_bytes, add_bytes(bytes, grown))
local opens_interactions = task.interactions_opened > opened_before
local status = status_of(waits)
local is_shown = not again and told_waiters ~= '' and status == 'input_required' and #waits == wait_count
local shown = is_shown and parked_message(program, principal, now, waits, first_wait) or ''
add_pair(fields, F_waits, format_waits(waits))
add_pair(fields, F_status, status)
local moved_now = move_past_requests(moved, task.interactions_opened, waits)
if moved_now then add_pair(fields, F_moved, moved_now) end
write_all('HSET', K_task, fields)
write_all('HDEL', K_task, dropped)
set_deadline(first_deadline(waits, expires_at))
if opens_interactions then notify_pending_list_waiters(pending_list_waiters) end
publish_task_change(principal, opens_interactions)
local calls = task.calls and give_turns(now) or ''
if again then return {'again', event, calls} end
notify_task_waiters(told_waiters, A_topic, A_seen, status, shown)
return {'parked', join_jobs(leave_queue(queue, '', now), calls)}
