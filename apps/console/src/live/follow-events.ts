import { type RestClient, RestError } from '../rest/rest-client.ts';

/** How long until a stream that ended is opened again, in milliseconds: doubled each time, up to the last. */
const REOPEN_MS = [1_000, 30_000] as const;
/** How often a credential that may not have the stream is told that there may be changes, in milliseconds. */
const POLL_MS = 5_000;

/**
 * Tells of changes until the signal aborts: of `resource`, or of the lists without one. Whatever was missed is told by the next stream when it opens.
 */
export async function followEvents(
  client: RestClient,
  resource: string | undefined,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  const wanted = resource === undefined ? 'resources/list_changed' : 'resources/updated';
  let reopenMs: number = REOPEN_MS[0];
  const on = {
    open: () => {
      reopenMs = REOPEN_MS[0];
    },
    event: (name: string) => {
      if (name === wanted) onChange();
    },
  };
  while (!signal.aborted) {
    const refusal = await client.streamEvents(resource, on, signal).catch((thrown: unknown) => thrown);
    const mayNot = refusal instanceof RestError && [400, 403, 404].includes(refusal.status);
    await pause(mayNot ? POLL_MS : reopenMs, signal);
    reopenMs = Math.min(reopenMs * 2, REOPEN_MS[1]);
    if (!signal.aborted) onChange();
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
