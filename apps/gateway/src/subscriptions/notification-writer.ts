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

/** A notification as an event of the stream. */
export type EncodeNotification = (notification: Notification) => string;

/**
 * Writes notifications of resources, prompts and tools to one SSE stream. What is queued is a set: a resource that changes a hundred
 * times between two flushes is named once, and for a client that does not read only names are held.
 */
export class NotificationWriter {
  private readonly raw: ServerResponse;
  private readonly encode: EncodeNotification;
  private readonly onClose: () => void;
  private readonly comments: NodeJS.Timeout;
  private readonly queued = new Set<string>();
  private flushTimer: NodeJS.Timeout | undefined;
  private lastFlushAt = -FLUSH_INTERVAL_MS;
  private closed = false;
  private held = false;

  /** Begins the stream with the headers given, and calls `onClose` once when it ends, on whichever side. */
  constructor(
    raw: ServerResponse,
    headers: Record<string, string>,
    encode: EncodeNotification,
    onClose: () => void,
  ) {
    this.raw = raw;
    this.encode = encode;
    this.onClose = onClose;
    raw.writeHead(200, { ...headers, ...SSE_HEADERS });
    raw.write(sseComment('open'));
    this.comments = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(sseComment('open'));
    }, COMMENT_EVERY_MS);
    raw.on('drain', () => this.scheduleFlush());
    raw.on('close', () => this.close());
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
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.comments);
    clearTimeout(this.flushTimer);
    this.raw.end();
    // A client that does not read would keep its connection open for ever. A connection that was read to the response's end
    // no longer belongs to the response, and is not destroyed.
    setTimeout(() => this.raw.destroy(), CLOSE_GRACE_MS).unref();
    this.onClose();
  }

  private scheduleFlush(): void {
    if (this.closed || this.held || this.flushTimer !== undefined || this.queued.size === 0) return;
    const wait = Math.max(0, this.lastFlushAt + FLUSH_INTERVAL_MS - performance.now());
    this.flushTimer = setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    this.flushTimer = undefined;
    // The 'drain' that follows schedules the next flush, and so does `release`.
    if (this.raw.writableNeedDrain || this.held) return;
    this.lastFlushAt = performance.now();
    const events = [...this.queued].map((what) => this.encode(notificationOf(what)));
    this.queued.clear();
    this.raw.write(events.join(''));
  }
}

function notificationOf(what: string): Notification {
  if (what === RESOURCE_LIST) return { method: 'notifications/resources/list_changed' };
  if (what === TOOL_LIST) return { method: 'notifications/tools/list_changed' };
  if (what === PROMPT_LIST) return { method: 'notifications/prompts/list_changed' };
  return { method: 'notifications/resources/updated', params: { uri: what } };
}
