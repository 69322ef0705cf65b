import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';
import { markBeside } from './keys.ts';
import { defineScript } from './script.ts';
import { frame, type Run, type RunOf, unframe } from './script-group.ts';
import { asUnavailable } from './unavailable.ts';

/** How many replicas of Redis are to have a write before it is acknowledged, and for how long that is waited for. */
export interface Replication {
  readonly replicas: number;
  readonly waitMs: number;
}

/** A command that leaves with others, and then with a WAIT for all of them. */
interface Item {
  readonly command: readonly [name: string, ...args: (string | number)[]];
  /** For EVALSHA: the same as EVAL, should the server not know the script. */
  readonly whole?: Item['command'];
  readonly markKey: string;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How many commands share one WAIT at most: their replies wait for each other. */
const MOST = 256;

/**
 * Writes that are acknowledged when replicas have them: what only a master knows is lost when another takes its place.
 *
 * 1. WAIT follows its writes on the same connection, in one pipeline: a new connection may lead to a new master, which
 *    never heard of them, and would confirm.
 * 2. It blocks what stands behind it, so this has a connection of its own, and what comes while one WAIT is under way
 *    leaves together with the next.
 * 3. A shortfall is `unavailable`: whether the write stays is not known, and repeating it is safe.
 */
export class Replicated {
  private readonly client: Redis | Cluster;
  private readonly replication: Replication;
  private readonly lanes = new Map<Redis, Lane>();
  private readonly slots = new Map<string, number>();

  constructor(client: Redis | Cluster, replication: Replication) {
    this.client = client;
    this.replication = replication;
  }

  async evaluate(script: RunOf, keys: Run['keys'], args: Run['args']): Promise<unknown[]> {
    const run = script.grouped ? frame([{ keys, args }]) : { keys, args };
    const rest = [keys.length, ...run.keys, ...run.args] as const;
    const whole: Item['command'] = ['EVAL', script.source, ...rest];
    const reply = (await this.send(keys[0] ?? '', ['EVALSHA', script.sha, ...rest], whole)) as unknown[];
    if (!script.grouped) return reply;
    return new Promise((resolve, reject) => unframe(reply, 0, { resolve, reject }));
  }

  /** A plain command whose first argument is its only key. */
  async command(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    return this.send(key, [name, key, ...args]);
  }

  close(): void {
    this.client.disconnect();
  }

  private async send(key: string, command: Item['command'], whole?: Item['command']): Promise<unknown> {
    const markKey = markBeside(key);
    try {
      const lane = this.laneOf(await this.nodeOf(markKey));
      return await new Promise((resolve, reject) =>
        lane.push({ command, ...(whole ? { whole } : {}), markKey, resolve, reject }),
      );
    } catch (error) {
      // Where the slot has moved, the next call goes where it is now.
      if (this.client instanceof Cluster && !(error instanceof BatonError)) this.client.refreshSlotsCache();
      throw asUnavailable(error);
    }
  }

  private laneOf(node: Redis): Lane {
    const known = this.lanes.get(node);
    if (known !== undefined) return known;
    for (const other of this.lanes.keys()) if (other.status === 'end') this.lanes.delete(other);
    const lane = new Lane(node, this.replication);
    this.lanes.set(node, lane);
    return lane;
  }

  private async nodeOf(key: string): Promise<Redis> {
    if (!(this.client instanceof Cluster)) return this.client;
    const slot = this.slots.get(key) ?? Number(await this.client.cluster('KEYSLOT', key));
    this.slots.set(key, slot);
    const address = this.client.slots[slot]?.[0];
    const node = this.client
      .nodes('master')
      .find(({ options }) => `${options.host}:${options.port}` === address);
    if (node === undefined) throw new Error(`no node of the cluster serves slot ${slot}`);
    return node;
  }
}

/** What leaves on one connection: one group after the other. */
class Lane {
  private readonly node: Redis;
  private readonly replication: Replication;
  private readonly waiting: Item[] = [];
  private leaving = false;

  constructor(node: Redis, replication: Replication) {
    this.node = node;
    this.replication = replication;
  }

  push(item: Item): void {
    this.waiting.push(item);
    if (this.leaving) return;
    this.leaving = true;
    // What comes in the same turn of the event loop leaves together.
    setImmediate(() => void this.leave());
  }

  private async leave(): Promise<void> {
    while (this.waiting.length > 0) await this.exchange(this.waiting.splice(0, MOST));
    this.leaving = false;
  }

  private async exchange(group: readonly Item[]): Promise<void> {
    const { replicas, waitMs } = this.replication;
    const marks = [...new Set(group.map(({ markKey }) => markKey))];
    const pipeline = this.node.pipeline([
      ...group.map(({ command }) => ['call', ...command]),
      ...marks.map((key) => ['call', 'EVAL', MARK.source, 1, key]),
      ['call', 'WAIT', replicas, waitMs],
    ]);
    const replies = (await pipeline.exec().catch(() => null)) ?? [];
    const unsure = this.unsure(replies.slice(group.length));
    for (const [index, item] of group.entries()) {
      const [error, reply] = replies[index] ?? [new Error('the connection was lost'), undefined];
      if (item.whole !== undefined && error?.message.startsWith('NOSCRIPT')) {
        const { whole, ...rest } = item;
        this.waiting.unshift({ ...rest, command: whole });
      } else if (error) item.reject(error);
      else if (unsure) item.reject(unsure);
      else item.resolve(reply);
    }
  }

  /** Why the replies of MARKs and of WAIT do not say that the replicas have it all, if they do not. */
  private unsure(replies: readonly [Error | null, unknown][]): BatonError | undefined {
    const failed = replies.find(([error]) => error !== null);
    const { replicas, waitMs } = this.replication;
    const confirmed = Number(replies.at(-1)?.[1] ?? 0);
    if (!failed && confirmed >= replicas) return undefined;
    const what = failed
      ? `Redis could not confirm this (${failed[0]?.message})`
      : `${confirmed} of ${replicas} replicas of Redis confirmed this within ${waitMs} ms`;
    return new BatonError('unavailable', `${what}. Whether it was taken is not known; repeat the call.`);
  }
}

const MARK = defineScript('mark', ['mark'], []);
