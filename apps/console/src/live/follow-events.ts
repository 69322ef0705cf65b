import { type RestClient, RestError } from '../rest/rest-client.ts';

/** How long until a stream that ended is opened again, in milliseconds: doubled each time, up to the last. */
const REOPEN_MS = [1_000, 30_000] as const;
/** How often a credential that may not have the stream is told that there may be changes, in milliseconds. */
const POLL_MS = 5_000;

/** What there are changes of. */
interface ChangeListener {
  /** One of the resources that are followed. */
  readonly resource: () => void;
  readonly lists: () => void;
}

/** Tells of changes of resources and of the lists until the signal aborts. Whatever was missed is told by the next stream when it opens. */
export async function followEvents(
  client: RestClient,
  resources: readonly string[],
  changed: ChangeListener,
  signal: AbortSignal,
): Promise<void> {
  let reopenMs: number = REOPEN_MS[0];
  const on = {
    open: () => {
      reopenMs = REOPEN_MS[0];
    },
    event: (name: string) => {
      if (name === 'resources/updated') changed.resource();
      if (name === 'resources/list_changed') changed.lists();
    },
  };
  while (!signal.aborted) {
    const refusal = await client.streamEvents(resources, on, signal).catch((thrown: unknown) => thrown);
    const mayNot = refusal instanceof RestError && [400, 403, 404].includes(refusal.status);
    await pause(mayNot ? POLL_MS : reopenMs, signal);
    reopenMs = Math.min(reopenMs * 2, REOPEN_MS[1]);
    if (signal.aborted) return;
    changed.resource();
    changed.lists();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
