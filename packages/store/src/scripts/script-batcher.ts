import { Cluster, Command, type Redis } from 'ioredis';
import { encodeBatch, type ScriptCall, type CompiledScript, decodeBatch } from './script-batch.ts';

/** One run of a script that waits to leave. */
interface Waiting extends ScriptCall {
  readonly script: CompiledScript;
  readonly resolve: (reply: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

type Group = [Waiting, ...Waiting[]];

/** How long what waits for replies waits at most: they may never come. */
const MOST_MS = 50;

/** A group of so many waits for no more; Redis does nothing else while it runs one. */
const MOST_RUNS = 16;

/**
 * Runs of scripts leave in groups: a command costs more than most of what our scripts do, and a system call more than
 * a command. Runs of one script on keys of one slot, where the script is `grouped`, are one command; what leaves
 * together is one write. What comes in one turn of the event loop leaves at its end, and while some are on their way,
 * what comes meanwhile gathers and leaves when the first replies are there. A group that is full leaves at once, so that
 * Redis works while this process reads on. So at rest nothing waits, and the busier Redis is, the larger the groups.
 */
export class ScriptBatcher {
  private readonly client: Redis | Cluster;
  /** By what their runs have in common; a run that may not be grouped is a group by itself. */
  private gathering = new Map<unknown, Group>();
  private unanswered = 0;
  private leaving = false;
  private late: NodeJS.Timeout | undefined;

  constructor(client: Redis | Cluster) {
    this.client = client;
  }

  /** The reply to one run; whatever it is grouped with, a failure of another is not its own. */
  run(script: CompiledScript, keys: ScriptCall['keys'], args: ScriptCall['args']): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.gather({ script, keys, args, resolve, reject });
      if (this.gathering.size === 0) return;
      if (this.unanswered === 0) this.leaveSoon();
      else this.late ??= setTimeout(() => this.leave(), MOST_MS);
    });
  }

  private gather(one: Waiting): void {
    const { script, keys } = one;
    const common = script.grouped ? script.sha + slotOf(keys[0] ?? '') : one;
    const group = this.gathering.get(common);
    if (group === undefined) this.gathering.set(common, [one]);
    else if (group.push(one) === MOST_RUNS) {
      this.gathering.delete(common);
      void this.send(group);
    }
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
    const groups = this.gathering;
    if (groups.size === 0) return;
    this.gathering = new Map();
    const stream = this.client instanceof Cluster ? undefined : this.client.stream;
    stream?.cork();
    for (const group of groups.values()) void this.send(group);
    stream?.uncork();
  }

  private async send(group: Group): Promise<void> {
    const [{ script }] = group;
    this.unanswered++;
    try {
      const reply = (await this.evaluate(script, encodeBatch(script, group))) as unknown[];
      if (!script.grouped) return group[0].resolve(reply);
      for (const [index, one] of group.entries()) decodeBatch(reply, index, one);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.unanswered--;
      if (this.gathering.size > 0) this.leaveSoon();
    }
  }

  /** EVALSHA, or EVAL where the server does not know the script yet. */
  private async evaluate({ source }: CompiledScript, args: string[]): Promise<unknown> {
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

/** Keys of one hash tag are of one slot. */
function slotOf(key: string): string {
  return key.slice(key.indexOf('{'), key.indexOf('}'));
}
