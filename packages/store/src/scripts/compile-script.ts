import { createHash } from 'node:crypto';
import type { LuaSource } from './lua-source.ts';
import type { CompiledScript } from './script-batch.ts';

/** Compiles a script for one call a command. */
export function compileUnbatchedScript({ shebang, body }: LuaSource): CompiledScript {
  const source = `${shebang}
${asFunction(body)}
local reply = run(KEYS, ARGV)
${RUN_DEFERRED_WRITES}
return reply
`;
  return { source, sha: sha1(source), batched: false };
}

/**
 * Compiles a script for several calls a command (see encodeBatch), replied to with a list. An error that one call throws
 * is its reply: the other calls run all the same, and what each has written stays, as it would have by itself.
 */
export function compileBatchedScript({ shebang, body }: LuaSource): CompiledScript {
  const source = `${shebang}
${asFunction(body)}
${DECODE_CALLS}
local replies = {}
for call = 1, calls do
  local keys, args = decode_call(call)
  local fine, reply = pcall(run, keys, args)
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
 * A script costs mostly its calls of Redis. `cache` holds replies that nothing but the script itself can change while the
 * command runs (time, credential, tenant), for all calls of a batch. `deferred_writes` are run once, behind the last call.
 */
function asFunction(body: string): string {
  return `local cache, deferred_writes = {}, {}
local function run(KEYS, ARGV) ${body}
end`;
}

const RUN_DEFERRED_WRITES = 'for _, write in ipairs(deferred_writes) do write() end';

/** Gives each call KEYS and ARGV of its own. The layout is that of encodeBatch; 49 is the character 1. */
const DECODE_CALLS = `
local function read_shared(mask, list, from)
  local row = {}
  for column = 1, #mask do
    if string.byte(mask, column) == 49 then row[column], from = list[from], from + 1 end
  end
  return row, from
end
local function read_row(width, shared, list, from)
  local row = {}
  for column = 1, width do
    row[column] = shared[column]
    if not row[column] then row[column], from = list[from], from + 1 end
  end
  return row, from
end
local calls = tonumber(ARGV[1])
local shared_keys, next_key = read_shared(ARGV[2], KEYS, 1)
local shared_args, next_arg = read_shared(ARGV[3], ARGV, 4 + 2 * calls)
local function decode_call(call)
  local keys, args
  keys, next_key = read_row(tonumber(ARGV[2 + 2 * call]), shared_keys, KEYS, next_key)
  args, next_arg = read_row(tonumber(ARGV[3 + 2 * call]), shared_args, ARGV, next_arg)
  return keys, args
end`;
