-- May the call's key call the tool? A_tool is its name and the tiers that have it, with blanks between them, or '' where none is
-- called by name. Returns a refusal or nil. Needs credential.
local function refusal_of_tool()
  local offered = offered_tools()
  if A_tool == '' or offered == '' then return end
  for name in string.gmatch(A_tool, '%S+') do
    if string.find(' ' .. offered .. ' ', ' ' .. name .. ' ', 1, true) then return end
  end
  return {'tool_not_offered', offered, string.match(A_tool, '%S+')}
end
