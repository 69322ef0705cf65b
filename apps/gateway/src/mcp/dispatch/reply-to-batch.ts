import { setImmediate } from 'node:timers/promises';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { BatonError } from '@baton/protocol';

/** Requests of a batch that run at once. */
const AT_ONCE = 8;
/** The replies of a batch leave as one text, which is made in one turn of the event loop. */
const MAX_REPLY_LENGTH = 4 * 2 ** 20;

/**
 * The replies to the requests of a batch, in their order. Each request begins in a turn of the event loop of its own, so that other
 * callers are served between them. `refuse` is given those that come once the replies have reached their length: they are not run.
 */
export async function replyToBatch<Reply extends { readonly json: string }>(
  requests: readonly JSONRPCRequest[],
  send: (request: JSONRPCRequest) => Promise<Reply>,
  refuse: (request: JSONRPCRequest, error: BatonError) => Promise<Reply>,
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  const waiting = requests.entries();
  let length = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const replyToNext = async () => {
    for (const [at, request] of waiting) {
      turn = turn.then(() => setImmediate());
      await turn;
      const isRun = length < MAX_REPLY_LENGTH;
      const reply = await (isRun ? send(request) : refuse(request, tooMuchReplied()));
      length += reply.json.length;
      replies[at] = reply;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, replyToNext));
  return replies;
}

function tooMuchReplied(): BatonError {
  return new BatonError(
    'limit_size',
    `The replies to a batch may hold ${MAX_REPLY_LENGTH} characters, which those before this one have reached. This request was not run. Send it in another batch.`,
    { limit: 'batchReply', most: MAX_REPLY_LENGTH },
  );
}
