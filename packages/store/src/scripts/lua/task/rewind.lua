#!lua flags=allow-oom
-- REWIND: takes the journal of a task that was retried back to where its program goes on from.
-- Arguments: journal × (path, entry), then the paths that are dropped before
-- Returns: {'rewound'}, or {'stale'} when the fence has moved: nothing was written
-- Repeating it changes nothing: what is behind it is written with the same fence.
local fence, bytes, rewind = unpack(redis.call('HMGET', K_task, F_fence, F_bytes, F_rewind))
if fence ~= A_fence then return {'stale'} end
if not rewind then return {'rewound'} end
local first_drop = A_rest + 2 * tonumber(A_journal)
local dropped, grown = {F_rewind}, 0
for at = first_drop, #ARGV do
  dropped[#dropped + 1] = F_journal .. ARGV[at]
  grown = grown - bytes_of_field(F_journal .. ARGV[at], W_journal)
end
write_all('HDEL', K_task, dropped)
local fields = {}
for at = A_rest, first_drop - 1, 2 do
  add_pair(fields, F_journal .. ARGV[at], ARGV[at + 1])
  grown = grown + #ARGV[at + 1] + W_journal
end
add_pair(fields, F_bytes, add_bytes(bytes, grown))
write_all('HSET', K_task, fields)
return {'rewound'}
