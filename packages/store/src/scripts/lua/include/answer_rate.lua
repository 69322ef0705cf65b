-- Takes the token of an answer. Only one that would be taken now may overdraw the rate by A_floor: somebody paid for it. `wait`
-- is the interaction's, if it is pending and the caller's to answer; any other answer costs what a call costs. Returns as
-- take_token.
local function take_answer_rate_token(now, wait)
  if A_floor == '' then return end
  return take_token(now, wait and wait.due > now and A_floor or 0)
end
