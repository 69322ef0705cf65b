import type { Redis } from 'ioredis';
import type { Connection } from '../redis/connection.ts';
import { sha1 } from '../scripts/compile-script.ts';
import { ALL_SCRIPTS, type AnyScript } from './all-scripts.ts';

/** A list that counted scripts append to: `<script> <work>`. */
const RUNS = 'work-of-scripts';

/**
 * Counts the work of scripts: one for each command, each argument, each element of a reply, each member that a command removes,
 * and each kilobyte of an argument or of a reply. It counts, and measures no time, so that it is the same on every machine.
 */
export class ScriptWork {
  private readonly redis: Redis;

  /** From now on the connection's scripts are counted. `change` makes a mutant of a script's text. */
  constructor(connection: Connection, redis: Redis, change: (source: string) => string = (source) => source) {
    this.redis = redis;
    const counted = new Map<string, AnyScript>();
    for (const script of ALL_SCRIPTS.values()) {
      const source = countedSource(script.name, change(script.source));
      counted.set(script.sha, { ...script, source, sha: sha1(source) });
    }
    const evaluate = connection.evaluate.bind(connection);
    connection.evaluate = (script, keys, args) => {
      const { source, sha } = counted.get(script.sha) ?? script;
      return evaluate({ ...script, source, sha }, keys, args);
    };
  }

  /** The most work that one run of each script has done so far. */
  async most(): Promise<Map<string, number>> {
    const most = new Map<string, number>();
    for (const run of await this.redis.lrange(RUNS, 0, -1)) {
      const [script = '', work] = run.split(' ');
      most.set(script, Math.max(most.get(script) ?? 0, Number(work)));
    }
    return most;
  }
}

function countedSource(name: string, source: string): string {
  const [shebang = '', ...lines] = source.replaceAll('redis.call(', 'counted(').trimEnd().split('\n');
  const last = lines.pop();
  if (last !== 'return reply' && last !== 'return replies') throw new Error(`${name} ends with ${last}`);
  // Counting writes.
  return [
    shebang.replace('no-writes', 'allow-oom'),
    COUNTED,
    ...lines,
    `redis.call('RPUSH', '${RUNS}', '${name} ' .. work)`,
    last,
  ].join('\n');
}

const COUNTED = `
local work, call = 0, redis.call
local REMOVES = {ZREMRANGEBYSCORE = true, ZREMRANGEBYRANK = true, ZREMRANGEBYLEX = true}
local function weigh(value)
  if type(value) == 'string' then
    work = work + 1 + math.floor(#value / 1024)
  elseif type(value) == 'table' then
    for _, element in ipairs(value) do weigh(element) end
  else
    work = work + 1
  end
end
local function counted(command, ...)
  local reply = call(command, ...)
  for at = 1, select('#', ...) do weigh((select(at, ...))) end
  weigh(reply)
  if REMOVES[command] then work = work + reply end
  return reply
end`;
