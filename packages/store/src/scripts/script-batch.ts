import { createHash } from 'node:crypto';

/** What is run: its text, and whether several runs of it may be one command. */
export interface CompiledScript {
  readonly source: string;
  readonly sha: string;
  readonly grouped: boolean;
}

/** One run: the keys and arguments that the script itself sees. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

export const shaOf = (source: string): string => createHash('sha1').update(source).digest('hex');

/**
 * A script's body as one that runs it for each of several calls, each with KEYS and ARGV of its own, and answers with
 * a list of their replies. What one call throws stands in its place: the others are none the worse for it, and what
 * each has written stays, as it would have by itself.
 */
export function forEachRun(body: string): string {
  return `${HEAD}\nlocal function run(KEYS, ARGV) ${body}\nend\n${EACH}${WRITE_LATER}\nreturn replies\n`;
}

/** A script's body as one that runs it once. */
export function forOneRun(body: string): string {
  return `${HEAD}\nlocal function run(KEYS, ARGV) ${body}\nend\nlocal reply = run(KEYS, ARGV)\n${WRITE_LATER}\nreturn reply\n`;
}

/**
 * Most of a script's cost is its calls. `kept` holds what Redis was asked once and nothing but the script itself can
 * change while the command runs: time stands still, and the runs of a group share credentials, tenants, turns and who
 * listens. `later` holds what writes at the end of the command what its runs have changed of that.
 */
const HEAD = 'local kept, later = {}, {}';
const WRITE_LATER = 'for _, write in ipairs(later) do write() end';

/**
 * ARGV: how many runs; which columns of their keys, and of their arguments, are the same in all of them, a 1 or a 0 for
 * each; for each run how many keys and arguments it has. KEYS, and ARGV behind those: what all have, then each one's own.
 */
const EACH = `
local function common(mask, list, next)
  local row = {}
  for at = 1, #mask do
    if string.byte(mask, at) == 49 then row[at], next = list[next], next + 1 end
  end
  return row, next
end
local function own(count, shared, list, next)
  local row = {}
  for at = 1, count do
    row[at] = shared[at]
    if not row[at] then row[at], next = list[next], next + 1 end
  end
  return row, next
end
local runs, replies = tonumber(ARGV[1]), {}
local shared_keys, key = common(ARGV[2], KEYS, 1)
local shared_args, arg = common(ARGV[3], ARGV, 4 + 2 * runs)
for at = 1, runs do
  local keys, args
  keys, key = own(tonumber(ARGV[2 + 2 * at]), shared_keys, KEYS, key)
  args, arg = own(tonumber(ARGV[3 + 2 * at]), shared_args, ARGV, arg)
  local fine, reply = pcall(run, keys, args)
  if not fine then
    local said = type(reply) == 'table' and reply.err or tostring(reply)
    reply = redis.error_reply(string.find(said, '^%u+ ') and said or 'ERR ' .. said)
  end
  replies[at] = reply
end
`;

/**
 * Several runs of one script as the arguments of one EVALSHA. What all of them have in common is sent once: nearly all
 * keys, and most of what a tenant's calls say.
 */
export function encodeBatch({ sha, grouped }: CompiledScript, runs: readonly ScriptCall[]): string[] {
  const [keys, args] = [runs.map((run) => run.keys), runs.map((run) => run.args)];
  const [keyMask, argMask] = [maskOf(keys), maskOf(args)];
  const all = [sha, ''];
  pushRows(all, keys, keyMask);
  all[1] = `${all.length - 2}`;
  if (grouped) {
    all.push(`${runs.length}`, keyMask, argMask);
    for (const run of runs) all.push(`${run.keys.length}`, `${run.args.length}`);
  }
  pushRows(all, args, argMask);
  return all;
}

type Row = readonly (string | number)[];

/** Which columns are the same in all rows: a 1 or a 0 for each; empty where there is one row. */
function maskOf(rows: readonly Row[]): string {
  const [first = [], ...others] = rows;
  if (others.length === 0) return '';
  const width = Math.min(...rows.map((row) => row.length));
  let mask = '';
  for (let at = 0; at < width; at++) mask += others.every((row) => row[at] === first[at]) ? '1' : '0';
  return mask;
}

/** Adds what all rows have, then each one's own. */
function pushRows(all: string[], rows: readonly Row[], mask: string): void {
  for (let at = 0; at < mask.length; at++) if (mask[at] === '1') all.push(`${rows[0]?.[at]}`);
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) if (mask[at] !== '1') all.push(`${row[at]}`);
  }
}

/** Hands the reply of the `index`th run to whoever waits for it. */
export function decodeBatch(
  replies: readonly unknown[],
  index: number,
  waiter: { resolve: (reply: unknown[]) => void; reject: (error: unknown) => void },
): void {
  const reply = replies[index];
  if (reply instanceof Error) waiter.reject(reply);
  else waiter.resolve(reply as unknown[]);
}
