-- Which fields an ended task can do without, and what each counts of what its tenant stores.

local function is_chunk_state(field) return string.find(field, '^' .. F_chunk_state .. '%d') ~= nil end
local function is_journal(field) return string.sub(field, 1, #F_journal) == F_journal end
local function is_progress(field) return string.sub(field, 1, #F_progress) == F_progress end

-- Input, requests, answers, what else the journal holds, and the results of a workflow's steps. How it ended, and the facts of its interactions, stay.
local function is_large(field)
  return field == F_input or is_journal(field) or is_progress(field) or is_chunk_state(field)
    or string.find(field, '^' .. F_request .. '%d') ~= nil
end

local function counted_bytes(field, value)
  if field == F_input then return #value end
  if is_chunk_state(field) then return stored_chunk_bytes(read_chunk_state(value)) end
  if is_progress(field) then return #value + W_progress end
  return #value + (is_journal(field) and W_journal or W_request)
end
