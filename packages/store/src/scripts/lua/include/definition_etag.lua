-- The entity tag of a definition: another one for each change of its newest version, of its state, and of who stored it when.
-- text: its entry as it is stored; stored: the note of who stored its newest version
local function format_etag(text, stored, is_primary)
  return string.sub(redis.sha1hex(string.format('%s\n%s\n%s', text, stored, is_primary)), 1, 20)
end
