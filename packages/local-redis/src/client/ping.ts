import { setTimeout as delay } from 'node:timers/promises';
import { sendCommand } from './send-command.ts';
import { errorMessage } from '../system/error-message.ts';

const RETRY_MS = 20;
/** The last attempt has so long too, so that its own reason is told. */
const LEAST_MS = 500;

/**
 * Resolves once the server answers PING. A server that is loading its data set answers, so the limit starts anew.
 * @throws Error with the last reason: at once where the server cannot be reached, unless `keepTrying`.
 */
export async function waitForPong(
  url: string,
  { limitMs, keepTrying, signal }: { limitMs: number; keepTrying: boolean; signal?: AbortSignal },
): Promise<void> {
  let deadline = Date.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await sendCommand(url, ['PING'], Math.max(deadline - Date.now(), LEAST_MS));
      return;
    } catch (error) {
      if (isLoading(error)) deadline = Date.now() + limitMs;
      // A server that answers and will not let us in: asking again changes nothing.
      else if (!keepTrying || isRefusal(error)) throw error;
      else if (Date.now() >= deadline) {
        throw new Error(`it did not answer PING within ${limitMs} ms (${errorMessage(error)})`, {
          cause: error,
        });
      }
    }
    // A server that is not listening yet has no event to await: its socket file comes before it accepts.
    await delay(RETRY_MS);
  }
}

/** Whether a server answers PING now, or says that it is loading. */
export async function isAnswering(url: string, limitMs = 2000): Promise<boolean> {
  try {
    await sendCommand(url, ['PING'], limitMs);
    return true;
  } catch (error) {
    return isLoading(error);
  }
}

function isLoading(error: unknown): boolean {
  return isRefusal(error) && error.message.startsWith('LOADING');
}

/** What the server itself says: ioredis types its ReplyError as `any`. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}
