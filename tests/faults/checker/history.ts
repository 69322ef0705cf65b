import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** A client's request. `mark` is the value of an answer, unique in the run. */
export type Request =
  | { readonly f: 'start'; readonly key: string }
  | { readonly f: 'answer'; readonly interactionId: string; readonly mark: string; readonly kind: AnswerKind }
  | { readonly f: 'cancel'; readonly taskId: string }
  | { readonly f: 'status'; readonly taskId: string };

/** `wrong` does not fit the schema, `passing` is a retried agent error, `fatal` one that fails the task. */
export type AnswerKind = 'right' | 'wrong' | 'passing' | 'fatal' | 'malformed';

/** The verdict of a reply: `ok`, for answers `accepted` or `replayed`, otherwise the error code. */
export interface Reply {
  readonly verdict: 'ok' | 'accepted' | 'replayed' | (string & {});
  readonly task?: ReportedTask;
}

/** The status of a task as a reply reported it; `end` is its result or error as canonical JSON. */
export interface ReportedTask {
  readonly taskId: string;
  readonly status: string;
  readonly end?: string;
  readonly pending: readonly PendingRequest[];
}

export interface PendingRequest {
  readonly interactionId: string;
  readonly expiresAt: number;
}

/**
 * What the clients and the nemesis did, in order. `at` is in milliseconds of a monotonic clock that started at the wall
 * clock's time, which is also Redis's clock on this machine.
 */
export type HistoryEntry =
  | {
      readonly at: number;
      readonly type: 'invoke';
      readonly id: number;
      readonly client: string;
      readonly replica: string;
      readonly request: Request;
    }
  | { readonly at: number; readonly type: 'reply'; readonly id: number; readonly reply: Reply }
  /** No reply, or one with an unknown outcome: the request may have been carried out, or may yet be. */
  | { readonly at: number; readonly type: 'unknown'; readonly id: number; readonly why: string }
  | { readonly at: number; readonly type: 'fault'; readonly target: string; readonly what: string }
  /** `target` stops or runs again: `redis`, a process name, or `machine` when it scheduled no process. */
  | { readonly at: number; readonly type: 'out' | 'back'; readonly target: string };

type Unstamped<T> = T extends unknown ? Omit<T, 'at'> : never;

export function historyNow(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

/** Appends every entry to a file of JSON lines, and keeps it for the checker. */
export class History {
  readonly entries: HistoryEntry[] = [];
  private readonly file: WriteStream;
  private requests = 0;

  constructor(path: string) {
    this.file = createWriteStream(path, { flags: 'ax' });
  }

  /** `at` defaults to now. */
  add(entry: Unstamped<HistoryEntry> & { readonly at?: number }): void {
    const stamped = { at: historyNow(), ...entry } as HistoryEntry;
    this.entries.push(stamped);
    this.file.write(`${JSON.stringify(stamped)}\n`);
  }

  /** Records that a request is sent; returns its number. */
  invoke(client: string, replica: string, request: Request): number {
    const id = ++this.requests;
    this.add({ type: 'invoke', id, client, replica, request });
    return id;
  }

  async close(): Promise<void> {
    this.file.end();
    await once(this.file, 'finish');
  }
}
