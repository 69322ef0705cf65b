import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { RestError } from '../rest/rest-client.ts';
import type { Session } from '../session/session.ts';
import { subscribeToEvents } from './event-subscriptions.ts';

/** How long after a change is told it is read, in milliseconds, so that what comes with it is read with it. */
const GATHER_MS = 100;
/** From one reading to the next, in milliseconds: so few requests does a page cost a tenant in which much happens. */
const LEAST_MS_BETWEEN = 1_000;

/** A value of REST that is kept up to date while the page is looked at. */
export interface LiveValue<T> {
  /** Undefined until it was read once. */
  readonly value: T | undefined;
  /** Why the last attempt to read it failed; the value before stays. */
  readonly error: RestError | undefined;
  /** When the value was read, in milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
  readonly reload: () => void;
}

interface State<T> extends Omit<LiveValue<T>, 'reload'> {
  readonly key: string;
}

/**
 * Reads with `load` now, at each change that the event stream tells of `resource`, or of the lists without one, and when the page is looked at
 * again. `key` says what is read: where it changes, the value before is dropped.
 */
export function useLiveValue<T>(
  { client }: Session,
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  resource?: string,
): LiveValue<T> {
  const [state, setState] = useState<State<T>>();
  const loader = useRef(load);
  loader.current = load;
  const reloadRef = useRef(() => {});
  const reload = useCallback(() => reloadRef.current(), []);

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let reading: AbortController | undefined;
    let isStale = true;
    let lastReadAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const read = async () => {
      if (reading !== undefined || document.hidden || signal.aborted) return;
      const own = new AbortController();
      reading = own;
      isStale = false;
      lastReadAt = Date.now();
      const outcome = await readOnce(key, () => loader.current(own.signal));
      if (own.signal.aborted) return;
      reading = undefined;
      setState((before) => ({ ...(before?.key === key ? before : NOTHING), ...outcome }));
      if (outcome.error?.retryAfterMs !== undefined) readIn(outcome.error.retryAfterMs);
      else if (isStale) readSoon();
    };
    const readIn = (ms: number) => {
      isStale = true;
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, ms);
    };
    const readSoon = () => readIn(Math.max(GATHER_MS, lastReadAt + LEAST_MS_BETWEEN - Date.now()));
    const onSight = () => {
      if (!document.hidden && isStale) readIn(0);
    };
    /** What hangs or waits is given up for the new reading. */
    reloadRef.current = () => {
      reading?.abort();
      reading = undefined;
      clearTimeout(timer);
      timer = undefined;
      isStale = true;
      void read();
    };
    document.addEventListener('visibilitychange', onSight);
    signal.addEventListener('abort', () => {
      document.removeEventListener('visibilitychange', onSight);
      clearTimeout(timer);
      reading?.abort();
    });
    void read();
    const unsubscribe = subscribeToEvents(client, resource, readSoon);
    return () => {
      unsubscribe();
      stop.abort();
    };
  }, [client, key, resource]);

  return { ...(state?.key === key ? state : NOTHING), reload };
}

const NOTHING = { value: undefined, error: undefined, updatedAt: undefined };

/** What a reading changes: the value, or the error alone. */
async function readOnce<T>(
  key: string,
  load: () => Promise<T>,
): Promise<
  | { readonly key: string; readonly value: T; readonly error: undefined; readonly updatedAt: number }
  | { readonly key: string; readonly error: RestError }
> {
  try {
    return { key, value: await load(), error: undefined, updatedAt: Date.now() };
  } catch (thrown) {
    return {
      key,
      error: thrown instanceof RestError ? thrown : new RestError('internal', 0, String(thrown)),
    };
  }
}
