import { Cluster, Command, type Redis } from 'ioredis';
import { frame, type Run, type RunOf, unframe } from './script-group.ts';

/** One run of a script that waits to leave. */
interface Waiting extends Run {
  readonly script: RunOf;
  readonly resolve: (reply: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** How long what waits for replies waits at most: they may never come. */
const MOST_MS = 50;

/**
 * Runs that have gathered and wait no longer: Redis works on them while this process reads what else came in. It also
 * does nothing else while it runs a group.
 */
const MOST_RUNS = 8;

/**
 * Runs of scripts leave in groups: a command costs more than most of what our scripts do, and a system call more than
 * a command. What comes in one turn of the event loop is a group, and while one is on its way, what comes meanwhile
 * gathers and leaves when the first replies are there, or when it is `MOST_RUNS`. In a group, runs of one script on
 * keys of one slot are one command, where the script is `grouped`, and all commands are one write. So at rest nothing
 * waits, and the busier Redis is, the larger the groups.
 */
export class Departures {
  private readonly client: Redis | Cluster;
  private waiting: Waiting[] = [];
  private unanswered = 0;
  private leaving = false;
  private late: NodeJS.Timeout | undefined;

  constructor(client: Redis | Cluster) {
    this.client = client;
  }

  /** The reply to one run; whatever it is grouped with, a failure of another is not its own. */
  run(script: RunOf, keys: Run['keys'], args: Run['args']): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ script, keys, args, resolve, reject });
      if (this.waiting.length === MOST_RUNS) this.leave();
      else if (this.unanswered === 0) this.leaveSoon();
      else this.late ??= setTimeout(() => this.leave(), MOST_MS);
    });
  }

  private leaveSoon(): void {
    if (this.leaving) return;
    this.leaving = true;
    setImmediate(() => {
      this.leaving = false;
      this.leave();
    });
  }

  private leave(): void {
    clearTimeout(this.late);
    this.late = undefined;
    const { waiting } = this;
    this.waiting = [];
    const stream = this.client instanceof Cluster ? undefined : this.client.stream;
    stream?.cork();
    for (const group of groupsOf(waiting)) void this.send(group);
    stream?.uncork();
  }

  private async send(group: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const [{ script }] = group;
    this.unanswered++;
    try {
      const reply = (await this.evaluate(script, frame(script, group))) as unknown[];
      if (!script.grouped) return group[0].resolve(reply);
      for (const [index, one] of group.entries()) unframe(reply, index, one);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.unanswered--;
      if (this.waiting.length > 0) this.leaveSoon();
    }
  }

  /** EVALSHA, or EVAL where the server does not know the script yet. */
  private async evaluate({ source }: RunOf, args: string[]): Promise<unknown> {
    try {
      return await this.command('evalsha', args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.command('eval', args.with(0, source));
    }
  }

  /** As the client's own methods do it, but for what they make of arguments: these are flat, and strings, already. */
  private command(name: string, args: string[]): Promise<unknown> {
    const command = new Command(name, [], { replyEncoding: 'utf8' });
    command.args = args;
    return this.client.sendCommand(command) as Promise<unknown>;
  }
}

function groupsOf(waiting: readonly Waiting[]): (readonly [Waiting, ...Waiting[]])[] {
  const [alone, ...others] = waiting;
  if (alone === undefined || others.length === 0) return alone === undefined ? [] : [[alone]];
  const groups: [Waiting, ...Waiting[]][] = [];
  const open = new Map<string, [Waiting, ...Waiting[]]>();
  for (const one of waiting) {
    const slot = `${one.script.sha}${slotOf(one.keys[0] ?? '')}`;
    const group = one.script.grouped ? open.get(slot) : undefined;
    if (group !== undefined) group.push(one);
    else {
      const fresh: [Waiting, ...Waiting[]] = [one];
      open.set(slot, fresh);
      groups.push(fresh);
    }
  }
  return groups;
}

/** Keys of one hash tag are of one slot. */
function slotOf(key: string): string {
  return key.slice(key.indexOf('{'), key.indexOf('}'));
}
