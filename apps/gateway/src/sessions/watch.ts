import { BatonError, type ErrorCode } from '@baton/protocol';
import { type Change, type Identity, LISTEN_INTERVAL, type Tenant } from '@baton/store';
import type { Stream } from './stream.ts';

/** Each so many times that listening is renewed, those who hold a stream are admitted anew. */
const ADMIT_EVERY = 3;

/** One tenant's streams on this replica. It listens to the tenant's changes from the first to the last of them. */
export class Watch {
  private readonly tenant: Tenant;
  /** By session: there is one stream of each. */
  private readonly streams = new Map<string, Stream>();
  /** Those that missed something and could not look yet. */
  private readonly behind = new Set<Stream>();
  private listening: Promise<() => void> | undefined;
  private renewal: NodeJS.Timeout | undefined;
  private renewals = 0;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  get size(): number {
    return this.streams.size;
  }

  /** Adds a stream in place of the session's earlier one; it hears of all that changes after this resolves. Errors: `unavailable`. */
  async add(stream: Stream): Promise<void> {
    const earlier = this.streams.get(stream.session.id);
    // Set before the earlier one ends: this watch must not take that one's end for its last stream's.
    this.streams.set(stream.session.id, stream);
    earlier?.end();
    this.renewal ??= setInterval(() => void this.renew(), LISTEN_INTERVAL).unref();
    await this.listen();
    await this.tenant.changes.streamOpened(stream.session.id, stream.id);
    await stream.read();
  }

  remove(stream: Stream): void {
    stream.end();
    this.behind.delete(stream);
    if (this.streams.get(stream.session.id) === stream) this.streams.delete(stream.session.id);
    if (this.streams.size > 0) return;
    clearInterval(this.renewal);
    this.renewal = undefined;
    void this.listening?.then(
      (leave) => leave(),
      () => {},
    );
    this.listening = undefined;
  }

  /** Ends the stream of a session that was ended. */
  endSession(id: string): void {
    this.streams.get(id)?.end();
  }

  hear(change: Change): void {
    if (change.kind === 'admission') void this.admitAll();
    for (const stream of this.streams.values()) stream.hear(change);
  }

  /** Changes were missed. */
  back(): void {
    for (const stream of this.streams.values()) this.behind.add(stream);
    void this.catchUp();
  }

  private async renew(): Promise<void> {
    try {
      if (!(await this.tenant.changes.keepListening())) this.back();
      else await this.catchUp();
    } catch {
      return; // the next one does it
    }
    if (++this.renewals % ADMIT_EVERY === 0) await this.admitAll();
  }

  private async listen(): Promise<void> {
    const listening = this.listening ?? this.tenant.changes.listen(this);
    this.listening = listening;
    try {
      await listening;
    } catch (error) {
      if (this.listening === listening) this.listening = undefined;
      throw error;
    }
  }

  /** Has each stream that missed something look for itself. One that cannot now does it at the next renewal. */
  private async catchUp(): Promise<void> {
    for (const stream of this.behind) {
      try {
        await stream.read();
        this.behind.delete(stream);
        stream.tellAll();
      } catch (error) {
        if (isCode(error, ENDED)) stream.end();
      }
    }
  }

  /** Each key once, however many streams it opened: whoever may not call any more may not listen either. */
  private async admitAll(): Promise<void> {
    const all = [...this.streams.values()];
    for (const key of new Map(all.map(({ key }) => [key.text, key])).values()) {
      const streams = all.filter((stream) => stream.key.text === key.text);
      try {
        const identity: Identity = await this.tenant.caller(key, 0).admit(['mcp', 'agent']);
        for (const stream of streams) stream.identity = identity;
      } catch (error) {
        if (isCode(error, UNADMITTED)) for (const stream of streams) stream.end();
      }
    }
  }
}

const UNADMITTED: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
]);

const ENDED: ReadonlySet<ErrorCode> = new Set(['session_not_found']);

function isCode(error: unknown, codes: ReadonlySet<ErrorCode>): boolean {
  return error instanceof BatonError && codes.has(error.code);
}
