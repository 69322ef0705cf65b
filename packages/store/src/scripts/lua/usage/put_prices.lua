#!lua
-- PUT_PRICES: stores what each model costs a tenant, in place of the table before.
-- Arguments: table: JSON, which whoever calls has bounded
-- Returns: {'stored'}, or a refusal of RECHECK
local refusal = recheck_admission(clock())
if refusal then return refusal end
redis.call('SET', K_prices, A_table)
return {'stored'}
