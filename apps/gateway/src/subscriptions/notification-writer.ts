import type { ServerResponse } from 'node:http';
import { SSE_HEADERS, sseComment } from '../edge/streams/sse.ts';

/** A comment while a stream is silent: proxies cut silent streams near 125 s. */
const COMMENT_EVERY_MS = 10_000;

/** Notifications are written at most this often, those of one flush together. */
const FLUSH_INTERVAL_MS = 100;

/** How long a client that does not read is waited for when its stream is closed. */
const CLOSE_GRACE_MS = 5_000;

/** The list of resources may have changed; no URI is empty. */
export const RESOURCE_LIST = '';
/** The list of prompts may have changed; a URI has a colon. */
export const PROMPT_LIST = 'prompts';
/** The list of tools may have changed. */
export const TOOL_LIST = 'tools';

/** MCP 2025-11-25, server/resources, server/prompts and server/tools: List Changed Notification, Subscriptions. */
export interface Notification {
  readonly method:
    | `notifications/${'resources' | 'tools' | 'prompts'}/list_changed`
    | 'notifications/resources/updated';
  readonly params?: { readonly uri: string };
}

/** How a stream is written. */
export interface StreamFormat {
  /** A notification as an event, '' for none; or what reads the event, where it tells more than what has changed. An error of that drops it. */
  encode(notification: Notification): string | (() => Promise<string>);
  /** Events that the stream begins with, and that it ends with where it is not its client who ends it. */
  readonly opening?: string;
  readonly closing?: string;
}

/** Runs a write of so many characters when its turn has come. */
export type InTurn = (write: () => number | Promise<number>) => Promise<void>;

/**
 * Writes notifications of resources, prompts and tools to one SSE stream. What is queued is a set: a resource that changes a hundred
 * times between two flushes is named once, and for a client that does not read only names are held.
 */
export class NotificationWriter {
  private readonly raw: ServerResponse;
  private readonly format: StreamFormat;
  private readonly inTurn: InTurn;
  private readonly onClose: () => void;
  private readonly comments: NodeJS.Timeout;
  private readonly queued = new Set<string>();
  private flushTimer: NodeJS.Timeout | undefined;
  private lastFlushAt = -FLUSH_INTERVAL_MS;
  private closed = false;
  /** While notifications are being read that are to be written. */
  private writing = false;
  private held = false;

  /** Begins the stream with the headers given, writes to it in turns of its tenant, and calls `onClose` once when it ends, on whichever side. */
  constructor(
    raw: ServerResponse,
    headers: Record<string, string>,
    format: StreamFormat,
    inTurn: InTurn,
    onClose: () => void,
  ) {
    this.raw = raw;
    this.format = format;
    this.inTurn = inTurn;
    this.onClose = onClose;
    raw.writeHead(200, { ...headers, ...SSE_HEADERS });
    raw.write(format.opening ?? sseComment('open'));
    this.comments = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(sseComment('open'));
    }, COMMENT_EVERY_MS);
    raw.on('drain', () => this.scheduleFlush());
    raw.on('close', () => this.end());
  }

  /** A resource has changed, or the RESOURCE_LIST. */
  enqueue(what: string): void {
    this.queued.add(what);
    this.scheduleFlush();
  }

  /** Takes back what was not written yet. */
  dequeue(what: string): void {
    this.queued.delete(what);
  }

  /** Writes nothing of what is queued until `release`. */
  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.scheduleFlush();
  }

  close(): void {
    this.end(this.format.closing);
  }

  private end(text = ''): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.comments);
    clearTimeout(this.flushTimer);
    this.raw.end(text);
    // A client that does not read would keep its connection open for ever. A connection that was read to the response's end
    // no longer belongs to the response, and is not destroyed.
    setTimeout(() => this.raw.destroy(), CLOSE_GRACE_MS).unref();
    this.onClose();
  }

  private scheduleFlush(): void {
    if (this.closed || this.held || this.flushTimer !== undefined || this.queued.size === 0 || this.writing)
      return;
    // The 'drain' that follows comes here again.
    if (this.raw.writableNeedDrain) return;
    const wait = Math.max(0, this.lastFlushAt + FLUSH_INTERVAL_MS - performance.now());
    this.flushTimer = setTimeout(() => void this.flush(), wait);
  }

  private async flush(): Promise<void> {
    this.flushTimer = undefined;
    this.writing = true;
    const later: [what: string, read: () => Promise<string>][] = [];
    await this.inTurn(() => {
      if (!this.takesWrites) return 0;
      this.lastFlushAt = performance.now();
      let events = '';
      for (const what of this.queued) {
        const event = this.format.encode(notificationOf(what));
        if (typeof event === 'string') {
          this.queued.delete(what);
          events += event;
        } else later.push([what, event]);
      }
      if (events !== '') this.raw.write(events);
      return events.length;
    });
    // One is read at a time: for a client that does not read, only names are held.
    for (const [what, read] of later) {
      if (!this.takesWrites) break;
      await this.inTurn(async () => {
        // It waited for its turn, and may have been taken back meanwhile.
        if (!this.takesWrites || !this.queued.delete(what)) return 0;
        const event = await read().catch(() => '');
        if (this.held) this.queued.add(what);
        else if (!this.closed && event !== '') this.raw.write(event);
        return event.length;
      });
    }
    this.writing = false;
    this.scheduleFlush();
  }

  private get takesWrites(): boolean {
    return !this.closed && !this.held && !this.raw.writableNeedDrain;
  }
}

function notificationOf(what: string): Notification {
  if (what === RESOURCE_LIST) return { method: 'notifications/resources/list_changed' };
  if (what === TOOL_LIST) return { method: 'notifications/tools/list_changed' };
  if (what === PROMPT_LIST) return { method: 'notifications/prompts/list_changed' };
  return { method: 'notifications/resources/updated', params: { uri: what } };
}
