import { CHANGE_FEED_RENEW_INTERVAL, type Identity, STREAM_PUBLISH_INTERVAL } from '@baton/store';
import type { Call, Progress } from '../call/call.ts';
import { Tally } from '../edge/limits/tally.ts';
import { ChangeFeedSubscription } from './change-feed-subscription.ts';

/** Whoever waits hears this often that the wait goes on: clients may count their time-outs from it. */
const REPORT_EVERY_MS = 5_000;
/** What `progress`, which counts chunks, grows by in such a report: it has to grow with each (MCP, basic/utilities/progress). */
const WITHOUT_NEWS = 0.001;

/** So many waiting calls of a tenant follow streams on one replica; of more, each change would cost too much. */
const MAX_FOLLOWERS = 50;
const followers = new Tally();

/**
 * Runs a wait for a task, and meanwhile reports the text of its streamed answers as it comes, on whichever replica it was posted:
 * to `call.reportProgress`, which must be there. Reports with an empty text tell that the task has gone on, and while nothing comes that it waits. Where as many calls of the tenant follow streams as may, nothing is reported.
 */
export async function withStreamProgress<T>(
  call: Call,
  taskId: string,
  identity: Identity,
  wait: () => Promise<T>,
): Promise<T> {
  const { id } = call.tenant;
  if (followers.get(id) >= MAX_FOLLOWERS) return wait();
  followers.add(id, 1);
  const follower = new StreamFollower(call, taskId, identity);
  try {
    await follower.open();
    return await wait();
  } finally {
    follower.close();
    followers.add(id, -1);
  }
}

/** Where a stream was read up to. */
interface Position {
  readonly stream: number;
  readonly from: number;
}

class StreamFollower {
  private readonly call: Call;
  private readonly taskId: string;
  private readonly identity: Identity;
  private readonly feed: ChangeFeedSubscription;
  private readonly positions = new Map<string, Position>();
  private reported = 0;
  /** How much of what the task waits for had come when it was read last. */
  private seen: number | undefined;
  private state: 'idle' | 'reading' | 'again' | 'closed' = 'idle';
  private settling: NodeJS.Timeout | undefined;
  private silence: NodeJS.Timeout | undefined;

  constructor(call: Call, taskId: string, identity: Identity) {
    this.call = call;
    this.taskId = taskId;
    this.identity = identity;
    const { changes } = call.tenant;
    const renew = () => void changes.renewSubscription().catch(() => {});
    this.feed = new ChangeFeedSubscription(changes, this, CHANGE_FEED_RENEW_INTERVAL, renew);
  }

  /** Errors: `unavailable`. */
  async open(): Promise<void> {
    await this.feed.open();
    this.reportLaterAgain();
    this.readNowAndLater();
  }

  close(): void {
    this.state = 'closed';
    clearTimeout(this.settling);
    clearTimeout(this.silence);
    this.feed.close();
  }

  onChange(change: { readonly kind: string; readonly taskId?: string }): void {
    if (change.kind === 'task' && change.taskId === this.taskId) this.readNowAndLater();
  }

  onReconnect(): void {
    this.readNowAndLater();
  }

  /** Of chunks that come soon behind a published one nothing is published. */
  private readNowAndLater(): void {
    void this.read();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => void this.read(), STREAM_PUBLISH_INTERVAL + 50).unref();
  }

  /** One read at a time: of the changes that come meanwhile one more. */
  private async read(): Promise<void> {
    if (this.state !== 'idle') {
      if (this.state === 'reading') this.state = 'again';
      return;
    }
    this.state = 'reading';
    // What cannot be read now, or by this caller any more, is what the wait itself will say.
    await this.reportNews().catch(() => {});
    const again = (this.state as string) === 'again';
    if ((this.state as string) === 'closed') return;
    this.state = 'idle';
    if (again) await this.read();
  }

  /** Unless something is reported before. */
  private reportLaterAgain(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      void this.report(WITHOUT_NEWS, '', {}).catch(() => {});
    }, REPORT_EVERY_MS).unref();
  }

  private async report(grown: number, message: string, meta: Progress['meta']): Promise<void> {
    if (this.state === 'closed') return;
    this.reportLaterAgain();
    this.reported += grown;
    await this.call.reportProgress?.({ progress: this.reported, message, meta });
  }

  private async reportNews(): Promise<void> {
    const { tenant } = this.call;
    const view = await tenant.tasks.read(this.identity, this.taskId);
    if (view.status !== 'working' && view.status !== 'input_required') return;
    const hasGoneOn = this.seen !== undefined && view.seen > this.seen;
    this.seen = view.seen;
    if (hasGoneOn) await this.report(1, '', {});
    for (const interactionId of view.streams) {
      const known = this.positions.get(interactionId) ?? { stream: 0, from: 0 };
      const news = await tenant.interactions.readStream(this.identity, interactionId, known);
      const begunAnew = news.stream !== known.stream;
      const from = begunAnew ? 0 : known.from;
      if (news.chunks <= from && !begunAnew) continue;
      this.positions.set(interactionId, { stream: news.stream, from: news.chunks });
      const meta = {
        'baton/interactionId': interactionId,
        ...(begunAnew ? { 'baton/begunAnew': true } : {}),
      };
      await this.report(Math.max(1, news.chunks - from), news.text, meta);
    }
  }
}
