import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** What a client asks for. `mark` is what an answer says; no other answer of the run says it. */
export type Request =
  | { readonly f: 'start'; readonly key: string }
  | { readonly f: 'answer'; readonly interactionId: string; readonly mark: string; readonly kind: AnswerKind }
  | { readonly f: 'cancel'; readonly taskId: string }
  | { readonly f: 'status'; readonly taskId: string };

/** `wrong` does not fit the schema, `passing` is an error that is asked again, `fatal` one that ends the task. */
export type AnswerKind = 'right' | 'wrong' | 'passing' | 'fatal' | 'malformed';

/** What a reply says of its request: done (an answer is then `accepted` or `replayed`), or refused with a code. */
export interface Reply {
  readonly verdict: 'ok' | 'accepted' | 'replayed' | (string & {});
  readonly task?: ReportedTask;
}

/** How a client was told that a task stands; `end` is the text of its result or error. */
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
 * What the clients and the nemesis did, in the order in which it happened. `at` are milliseconds of a monotonic clock
 * that began at the wall clock's time, which is Redis's on this machine.
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
  /** No reply came, or one that says that it does not know: the request may have been carried out, or may yet be. */
  | { readonly at: number; readonly type: 'unknown'; readonly id: number; readonly why: string }
  | { readonly at: number; readonly type: 'fault'; readonly target: string; readonly what: string }
  /** From here on `target` can do nothing, or can again: `redis`, a process, or `machine`, which let nobody run. */
  | { readonly at: number; readonly type: 'out' | 'back'; readonly target: string };

type Unstamped<T> = T extends unknown ? Omit<T, 'at'> : never;

export function historyClock(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

/** Appends every entry to a file of JSON lines as it happens, and keeps it for the checker. */
export class History {
  readonly entries: HistoryEntry[] = [];
  private readonly file: WriteStream;
  private requests = 0;

  constructor(path: string) {
    this.file = createWriteStream(path, { flags: 'ax' });
  }

  /** `at` is now, unless it is given. */
  add(entry: Unstamped<HistoryEntry> & { readonly at?: number }): void {
    const stamped = { at: historyClock(), ...entry } as HistoryEntry;
    this.entries.push(stamped);
    this.file.write(`${JSON.stringify(stamped)}\n`);
  }

  /** Notes that a request leaves, and gives its number. */
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
