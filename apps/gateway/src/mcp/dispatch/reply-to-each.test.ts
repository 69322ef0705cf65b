import { setImmediate } from 'node:timers/promises';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { replyToBatch } from './reply-to-batch.ts';

const requests = Array.from(
  { length: 50 },
  (_, id): JSONRPCRequest => ({ jsonrpc: '2.0', id, method: 'ping' }),
);
const replyOf = ({ id }: JSONRPCRequest) => ({ json: `${id}` });
const refuse = () => Promise.reject(new Error('refused'));

test('each request of a batch begins in another turn of the event loop, so that others are served between', async () => {
  let turn = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turn++;
    next = globalThis.setImmediate(count);
  };
  count();
  const begun: number[] = [];
  const replies = await replyToBatch(
    requests,
    async (request) => {
      begun.push(turn);
      return replyOf(request);
    },
    refuse,
  );
  clearImmediate(next!);
  expect(replies.map(({ json }) => Number(json))).toEqual(requests.map(({ id }) => id));
  expect(new Set(begun).size).toBe(requests.length);
});

test('8 requests of a batch run at once, and the replies are in the order of the requests', async () => {
  const begun: (() => void)[] = [];
  const replies = replyToBatch(
    requests,
    async (request) => {
      await new Promise<void>((resolve) => {
        begun.push(resolve);
      });
      return replyOf(request);
    },
    refuse,
  );
  while (begun.length < requests.length) {
    const before = begun.length;
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    expect(begun.length - before).toBe(Math.min(8, requests.length - before));
    // The last that began ends first.
    for (const end of begun.slice(before).toReversed()) end();
  }
  expect((await replies).map(({ json }) => Number(json))).toEqual(requests.map(({ id }) => id));
});
