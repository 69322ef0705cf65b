-- Takes the token of an answer. Only one that would be taken now, of an interaction that is pending and the caller's to
-- answer, may overdraw the rate by A_floor: somebody paid for it. Any other costs what a call costs. Returns as take_token;
-- `wait` is the interaction's, if it is pending. Needs rate and visibility.
local function take_answer_token(now, owner, wait, principal, scopes)
  if A_floor == '' then return end
  local answerable = wait and wait.due > now and may_see(owner, principal, scopes)
  return take_token(now, answerable and A_floor or 0)
end
