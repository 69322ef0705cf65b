#!lua flags=allow-oom
-- BEGIN_SEGMENTS: begins segments of tasks that are in a job's batch, each behind a new fence. What has ended leaves the batch.
-- Keys: behind them each task
-- Arguments: topic: the tenant, a colon; bytes: how large what is loaded may be in all; the first is always loaded
-- Returns: {next, loaded, revision}: next is the job to add, as "number list", or ''; loaded is JSON with an entry for each ref:
--          as begin_segment returns it; false for a task that has ended or is not in the batch, or "" for one that there was no
--          room for. One large task has all of the room;
--          revision: how often the tenant's agents have changed
local now = clock()
local batch = ' ' .. (redis.call('HGET', K_jobs, A_number) or '') .. ' '
local next_job, loaded, room, begun = '', {}, tonumber(A_bytes), 0
for at = A_rest, #ARGV do
  local ref, segment, bytes = ARGV[at], false, 0
  if string.find(batch, ' ' .. ref .. ' ', 1, true) then
    if room <= 0 then
      segment = ''
    else
      segment, bytes = begin_segment(KEYS[7 + at - A_rest], A_number, begun == 0)
      room = room - bytes
      if segment then
        begun = begun + 1
        if segment[3] == 0 then room = 0 end
      elseif segment == nil then
        segment = ''
      else
        local requested = leave_batch(A_number, ref, now)
        if requested ~= '' then next_job = requested end
      end
    end
  end
  loaded[#loaded + 1] = segment
end
return {next_job, cjson.encode(loaded), agent_revision()}
