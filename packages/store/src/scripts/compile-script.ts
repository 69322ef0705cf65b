import { createHash } from 'node:crypto';
import type { LuaSource } from './lua-source.ts';
import type { CompiledScript } from './script-batch.ts';

/** Compiles a script for one call a command. */
export function compileUnbatchedScript(lua: LuaSource): CompiledScript {
  const source = `${lua.shebang}
local KEYS, ARGV = KEYS, ARGV
${asFunction(lua)}
local reply = run()
${RUN_DEFERRED_WRITES}
return reply
`;
  return { source, sha: sha1(source), batched: false };
}

/**
 * Compiles a script for several calls a command (see encodeBatch), replied to with a list. An error that one call throws
 * is its reply: the other calls run all the same, and what each has written stays, as it would have by itself.
 */
export function compileBatchedScript(lua: LuaSource): CompiledScript {
  const source = `${lua.shebang}
${DECODE_CALLS}
${asFunction(lua)}
local replies = {}
for call = 1, calls do
  next_row(keys, tonumber(arguments[2 + 2 * call]))
  next_row(args, tonumber(arguments[3 + 2 * call]))
  local fine, reply = pcall(run)
  if not fine then
    local message = type(reply) == 'table' and reply.err or tostring(reply)
    reply = redis.error_reply(string.find(message, '^%u+ ') and message or 'ERR ' .. message)
  end
  replies[call] = reply
end
${RUN_DEFERRED_WRITES}
return replies
`;
  return { source, sha: sha1(source), batched: true };
}

/** The digest by which EVALSHA names a script. */
export function sha1(source: string): string {
  return createHash('sha1').update(source).digest('hex');
}

/**
 * A script costs mostly its calls of Redis, and then the closures that it makes: those of its includes are made once a command, and
 * KEYS and ARGV, of which they are closures, hold the call that runs. `cache` holds replies that nothing but the script itself can
 * change while the command runs (time, credential, tenant), for all calls of a batch. `deferred_writes` are run once, behind the
 * last call, when KEYS and ARGV are that call's: what one writes of its own call, it has in locals.
 */
function asFunction({ includes, body }: LuaSource): string {
  return `local cache, deferred_writes = {}, {}
${includes}
local function run()
${body}
end`;
}

const RUN_DEFERRED_WRITES = 'for _, write in ipairs(deferred_writes) do write() end';

/**
 * KEYS and ARGV as each call sees them: one row of each, in which a call replaces only what is not equal in all calls. The layout is that of
 * encodeBatch; 49 is the character 1.
 */
const DECODE_CALLS = `
local keys_of_all, arguments = KEYS, ARGV
local function new_row(mask, list, from)
  local row = {values = {}, list = list, own = {}, shared = #mask, width = 0}
  for column = 1, #mask do
    if string.byte(mask, column) == 49 then row.values[column], from = list[from], from + 1
    else row.values[column], row.own[#row.own + 1] = '', column end
  end
  row.next = from
  return row
end
local function next_row(row, width)
  local values, list, from = row.values, row.list, row.next
  for _, column in ipairs(row.own) do values[column], from = list[from], from + 1 end
  for column = row.shared + 1, width do values[column], from = list[from], from + 1 end
  for column = width + 1, row.width do values[column] = nil end
  row.next, row.width = from, width
end
local calls = tonumber(arguments[1])
local keys = new_row(arguments[2], keys_of_all, 1)
local args = new_row(arguments[3], arguments, 4 + 2 * calls)
local KEYS, ARGV = keys.values, args.values`;
