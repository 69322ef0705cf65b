#!lua
-- CHUNK: keeps one piece of a streamed answer; the final success joins them.
-- KEYS: credential tenant task
-- ARGV: digest principal scopes need bytes floor number sequence delta
-- Returns: {'kept'}, {'replayed', sequence} for the same chunk again, {'chunk_conflict', sequence} for another text
--          under a sequence that is taken, {'interaction_not_found'}, {'interaction_already_answered'}, {'interaction_expired'},
--          {'interaction_cancelled'}, {'limit_size', limit, bytes, most}, or a refusal of ADMIT
-- @include clock
-- @include admission
-- @include waits
local now = clock()
local refusal, principal, scopes, limits = admit(now, 'answerBytes')
if refusal then return refusal end
local task = redis.call('HMGET', K_task, 'pr', 'open', 'g' .. A_number, 'x' .. A_number, 'c' .. A_number)
local may = task[1] and (task[1] == principal or string.find(scopes, ' agent ', 1, true))
if not may then return {'interaction_not_found'} end
if task[3] then return {'interaction_already_answered'} end
if task[4] then return {'interaction_' .. string.match(task[4], '^[^;]+')} end
for _, open in ipairs(parse_opens(task[2])) do
  if open.number == tonumber(A_number) then
    if open.due <= now then return {'interaction_expired'} end
    local stored = redis.call('HGET', K_task, 'c' .. A_number .. ';' .. A_sequence)
    if stored then return {stored == A_delta and 'replayed' or 'chunk_conflict', A_sequence} end
    local bytes = tonumber(task[5] or 0) + #A_delta
    if bytes > tonumber(limits[1]) then return {'limit_size', 'answerBytes', bytes, limits[1]} end
    redis.call('HSET', K_task, 'c' .. A_number .. ';' .. A_sequence, A_delta, 'c' .. A_number, bytes)
    return {'kept'}
  end
end
return {'interaction_not_found'}
