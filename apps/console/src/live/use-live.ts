import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { RestError } from '../rest/rest-client.ts';

/** Where a credential has no stream of events, what is shown is asked for again so often, in milliseconds. */
const POLL_MS = 5_000;
/** What is told within this time is asked for once, in milliseconds. */
const GATHER_MS = 250;
/** How long until a stream that ended is opened again, in milliseconds: doubled up to the last. */
const REOPEN_MS = [1_000, 30_000] as const;

/** A value of REST that is kept up to date while the page is looked at. */
export interface Live<T> {
  /** Undefined until it was read once. */
  readonly value: T | undefined;
  /** Why the last attempt to read it failed; the value before stays. */
  readonly error: RestError | undefined;
  /** When the value was read, in milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
  readonly reload: () => void;
}

/**
 * Reads with `load` now, at each change that the event stream tells of `resources` and of the lists, and when the page is looked at again. `key` says
 * what is read: where it changes, the value before is dropped.
 */
export function useLive<T>(
  { client, hasEvents }: Session,
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  resource?: string,
): Live<T> {
  const [state, setState] = useState<Omit<Live<T>, 'reload'> & { readonly key: string }>();
  const loader = useRef(load);
  loader.current = load;
  const reloadRef = useRef(() => {});
  const reload = useCallback(() => reloadRef.current(), []);

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let isReading = false;
    let isStale = true;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const read = async () => {
      if (isReading || document.hidden || signal.aborted) return;
      isReading = true;
      isStale = false;
      try {
        const value = await loader.current(signal);
        if (!signal.aborted) setState({ key, value, error: undefined, updatedAt: Date.now() });
      } catch (thrown) {
        if (signal.aborted) return;
        const error = thrown instanceof RestError ? thrown : new RestError('internal', 0, String(thrown));
        setState((before) => ({
          key,
          value: before?.key === key ? before.value : undefined,
          error,
          updatedAt: before?.key === key ? before.updatedAt : undefined,
        }));
        if (error.code === 'unreachable') readSoon(POLL_MS);
      } finally {
        isReading = false;
      }
      if (isStale) readSoon(GATHER_MS);
    };
    const readSoon = (ms: number) => {
      isStale = true;
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, ms);
    };
    reloadRef.current = () => readSoon(0);
    const onSight = () => {
      if (!document.hidden && (isStale || !hasEvents)) readSoon(0);
    };
    document.addEventListener('visibilitychange', onSight);
    signal.addEventListener('abort', () => {
      document.removeEventListener('visibilitychange', onSight);
      clearTimeout(timer);
    });
    void read();
    if (hasEvents)
      void followEvents(client, resource === undefined ? [] : [resource], () => readSoon(GATHER_MS), signal);
    else {
      const poll = setInterval(() => readSoon(0), POLL_MS);
      signal.addEventListener('abort', () => clearInterval(poll));
    }
    return () => stop.abort();
  }, [client, hasEvents, key, resource]);

  const current = state?.key === key ? state : { value: undefined, error: undefined, updatedAt: undefined };
  return { ...current, reload };
}

/** Holds a stream of events open until the signal aborts. Whatever was missed is told by the next stream when it opens. */
async function followEvents(
  client: Session['client'],
  resources: readonly string[],
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  let pause: number = REOPEN_MS[0];
  while (!signal.aborted) {
    try {
      await client.streamEvents(
        resources,
        {
          open: () => (pause = REOPEN_MS[0]),
          event: (name) => {
            if (name.startsWith('resources/')) onChange();
          },
        },
        signal,
      );
    } catch (error) {
      if (error instanceof RestError && (error.status === 401 || error.status === 404)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, REOPEN_MS[1]);
    if (!signal.aborted) onChange();
  }
}
