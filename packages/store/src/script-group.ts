import { createHash } from 'node:crypto';

/** What is run: its text, and whether several runs of it may be one command. */
export interface RunOf {
  readonly source: string;
  readonly sha: string;
  readonly grouped: boolean;
}

/** One run: the keys and arguments that the script itself sees. */
export interface Run {
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

/** ARGV: how many runs, then for each how many keys and arguments it has, then all arguments. */
const EACH = `
local runs, replies, key, arg = tonumber(ARGV[1]), {}, 0, 1 + 2 * tonumber(ARGV[1])
for at = 1, runs do
  local keys, args = {}, {}
  for each = 1, tonumber(ARGV[2 * at]) do keys[each] = KEYS[key + each] end
  for each = 1, tonumber(ARGV[2 * at + 1]) do args[each] = ARGV[arg + each] end
  key, arg = key + #keys, arg + #args
  local fine, reply = pcall(run, keys, args)
  if not fine then
    local said = type(reply) == 'table' and reply.err or tostring(reply)
    reply = redis.error_reply(string.find(said, '^%u+ ') and said or 'ERR ' .. said)
  end
  replies[at] = reply
end
`;

/** Several runs of one script as the arguments of one EVALSHA. */
export function frame({ sha, grouped }: RunOf, runs: readonly Run[]): string[] {
  const all = [sha, ''];
  for (const { keys } of runs) for (const key of keys) all.push(key);
  all[1] = `${all.length - 2}`;
  if (grouped) {
    all.push(`${runs.length}`);
    for (const { keys, args } of runs) all.push(`${keys.length}`, `${args.length}`);
  }
  for (const { args } of runs) for (const arg of args) all.push(`${arg}`);
  return all;
}

/** Hands the reply of the `index`th run to whoever waits for it. */
export function unframe(
  replies: readonly unknown[],
  index: number,
  waiter: { resolve: (reply: unknown[]) => void; reject: (error: unknown) => void },
): void {
  const reply = replies[index];
  if (reply instanceof Error) waiter.reject(reply);
  else waiter.resolve(reply as unknown[]);
}
