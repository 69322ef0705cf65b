import type { ServerResponse } from 'node:http';

/** A comment while a stream is silent: proxies cut silent streams near 125 s. */
const COMMENT_EVERY_MS = 10_000;

/** What is said at once, is said in one breath of this length at most often. */
const FLUSH_INTERVAL_MS = 100;

/** How long a client that does not read is waited for when its stream is over. */
const CLOSE_GRACE_MS = 5_000;

/** The list of resources may have changed; no URI is empty. */
export const RESOURCE_LIST = '';

/**
 * Writes MCP's notifications of resources to one SSE stream. What is due is a set: a resource that changes a hundred
 * times in a breath is named once, and a client that does not read holds back no more than the names of what it is to
 * hear of.
 */
export class NotificationWriter {
  private readonly raw: ServerResponse;
  private readonly queued = new Set<string>();
  private readonly comments: NodeJS.Timeout;
  private flushTimer: NodeJS.Timeout | undefined;
  private lastFlushAt = -FLUSH_INTERVAL_MS;
  private readonly onClose: () => void;
  private closed = false;

  /** Begins the stream with the headers given, and calls `ended` when it is over, whoever ended it. */
  constructor(raw: ServerResponse, headers: Record<string, string>, ended: () => void) {
    this.raw = raw;
    this.onClose = ended;
    raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    raw.write(': open\n\n');
    this.comments = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(': open\n\n');
    }, COMMENT_EVERY_MS);
    raw.on('drain', () => this.scheduleFlush());
    raw.on('close', () => this.close());
  }

  /** A resource has changed, or the LIST. */
  enqueue(what: string): void {
    this.queued.add(what);
    this.scheduleFlush();
  }

  /** What is still due is not to be told any more. */
  dequeue(what: string): void {
    this.queued.delete(what);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.comments);
    clearTimeout(this.flushTimer);
    this.raw.end();
    // What nobody reads is never written out: its connection would stay for as long as the client likes. One that was read
    // to its end is no longer this response's.
    setTimeout(() => this.raw.destroy(), CLOSE_GRACE_MS).unref();
    this.onClose();
  }

  private scheduleFlush(): void {
    if (this.closed || this.flushTimer !== undefined || this.queued.size === 0) return;
    const wait = Math.max(0, this.lastFlushAt + FLUSH_INTERVAL_MS - performance.now());
    this.flushTimer = setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    this.flushTimer = undefined;
    // Its 'drain' plans anew.
    if (this.raw.writableNeedDrain) return;
    this.lastFlushAt = performance.now();
    const frames = [...this.queued].map(
      (what) => `event: message\ndata: ${JSON.stringify(notification(what))}\n\n`,
    );
    this.queued.clear();
    this.raw.write(frames.join(''));
  }
}

/** MCP 2025-11-25, server/resources: List Changed Notification, Subscriptions. */
function notification(what: string) {
  if (what === RESOURCE_LIST) return { jsonrpc: '2.0', method: 'notifications/resources/list_changed' };
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: what } };
}
