import { Cluster, Command, type Redis } from 'ioredis';
import { type CompiledScript, settleCall, encodeBatch, type ScriptCall } from './script-batch.ts';

/** A call that waits to be sent. */
interface QueuedCall extends ScriptCall {
  readonly script: CompiledScript;
  readonly resolve: (reply: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly calls: [QueuedCall, ...QueuedCall[]];
  /** What its arguments take, as of `lengthOf`. */
  length: number;
}

/** A call waits at most so long for the replies to earlier batches: they may never come. */
const MAX_WAIT_MS = 50;

/** Redis does nothing else while it runs a batch: it has so many calls at most, and so many characters of arguments, or one call. */
const MAX_CALLS = 16;
const MAX_LENGTH = 262_144;

/** What an argument costs a script beside its characters. */
const ARGUMENT_LENGTH = 128;

/**
 * Sends calls of scripts in batches: a command costs Redis more than most of what the scripts do, and a system call more
 * than a command. One batch is one command: calls of one `batched` script on keys of one slot.
 *
 * - Nothing on its way: what is called in one turn of the event loop is sent at its end, as one write.
 * - Replies outstanding: calls queue, and are sent when the first replies arrive, or after MAX_WAIT_MS.
 * - A batch that is full is sent at once.
 *
 * So a call at rest waits for nothing, and batches grow with the load of Redis.
 */
export class ScriptBatcher {
  private readonly client: Redis | Cluster;
  /** By script and slot; a call that may not share a command is a batch by itself. */
  private queued = new Map<unknown, Batch>();
  private outstanding = 0;
  private scheduled = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(client: Redis | Cluster) {
    this.client = client;
  }

  /** Resolves with the reply to this call; an error of another call in the batch is not its own. */
  run(script: CompiledScript, keys: ScriptCall['keys'], args: ScriptCall['args']): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.enqueue({ script, keys, args, resolve, reject });
      if (this.queued.size === 0) return;
      if (this.outstanding === 0) this.scheduleFlush();
      else this.timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS);
    });
  }

  private enqueue(call: QueuedCall): void {
    const { script, keys } = call;
    const shared = script.batched && script.alone !== true ? script.sha + slotOf(keys[0] ?? '') : call;
    const length = lengthOf(call.args);
    const batch = this.queued.get(shared);
    if (batch !== undefined && batch.length + length <= MAX_LENGTH) {
      batch.calls.push(call);
      batch.length += length;
      if (batch.calls.length < MAX_CALLS) return;
      this.queued.delete(shared);
    } else this.queued.set(shared, { calls: [call], length });
    if (batch !== undefined) void this.send(batch);
  }

  private scheduleFlush(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batches = this.queued;
    if (batches.size === 0) return;
    this.queued = new Map();
    const stream = this.client instanceof Cluster ? undefined : this.client.stream;
    stream?.cork();
    for (const batch of batches.values()) void this.send(batch);
    stream?.uncork();
  }

  private async send({ calls }: Batch): Promise<void> {
    const [{ script, resolve }] = calls;
    this.outstanding++;
    try {
      const reply = (await this.evaluate(script, encodeBatch(script, calls))) as unknown[];
      if (!script.batched) return resolve(reply);
      for (const [index, call] of calls.entries()) settleCall(reply, index, call);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    } finally {
      this.outstanding--;
      if (this.queued.size > 0) this.scheduleFlush();
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

  /** Past the client's own methods, which convert and flatten arguments: these are flat, and strings, already. */
  private command(name: string, args: string[]): Promise<unknown> {
    const command = new Command(name, [], { replyEncoding: 'utf8' });
    command.args = args;
    return this.client.sendCommand(command) as Promise<unknown>;
  }
}

function lengthOf(args: ScriptCall['args']): number {
  let length = 0;
  for (const arg of args) length += ARGUMENT_LENGTH + (typeof arg === 'string' ? arg.length : 0);
  return length;
}

/** Keys of one hash tag are of one slot. */
function slotOf(key: string): string {
  return key.slice(key.indexOf('{'), key.indexOf('}'));
}
