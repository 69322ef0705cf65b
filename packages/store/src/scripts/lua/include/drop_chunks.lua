-- Takes out the pieces of a streamed answer: the whole answer stands in the journal, and they are as large again.
local function drop_chunks()
  local prefix = 'c' .. A_number .. ';'
  for _, field in ipairs(redis.call('HKEYS', K_task)) do
    if string.sub(field, 1, #prefix) == prefix then redis.call('HDEL', K_task, field) end
  end
  redis.call('HDEL', K_task, 'c' .. A_number)
end
