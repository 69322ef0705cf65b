import { expect, test } from 'vitest';
import { CallAbortSignal } from '../call/call-abort-signal.ts';
import { ResultWaits } from './result-waits.ts';

type Call = Parameters<ResultWaits['hold']>[0];

function callOf(tenant: string, keyId: string): Call & { readonly end: (reason: string) => void } {
  const signal = new CallAbortSignal();
  const call = { tenant: { id: tenant }, identity: { admittedBy: { id: keyId } }, signal: () => signal };
  return { ...(call as unknown as Call), end: (reason) => signal.abort(reason) };
}

/** Waits until its signal aborts; tells by which name. */
const wait = (waits: ResultWaits, call: Call, name: string, ended: string[]) =>
  waits.hold(call, (signal) => {
    const over = new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
    return (signal.aborted ? Promise.resolve() : over).then(() => void ended.push(name));
  });

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('above what a tenant may have, the oldest wait of the key with most of them ends, and no other', async () => {
  const waits = new ResultWaits(4);
  const ended: string[] = [];
  const calls = ['a', 'b', 'b', 'b', 'a', 'c'].map((key, at) => ({
    name: `${key}${at}`,
    call: callOf('t', key),
  }));
  const held = calls.map(({ name, call }) => wait(waits, call, name, ended));
  await settled();
  expect(ended).toEqual(['b1', 'a0']);
  for (const { call } of calls) call.end('closed');
  await Promise.all(held);
});

test('a key alone keeps its newest waits, and the waits of other tenants are never given up', async () => {
  const waits = new ResultWaits(2);
  const ended: string[] = [];
  const calls = ['x', 'x', 't', 't', 't', 't'].map((tenant, at) => ({
    name: `${tenant}${at}`,
    call: callOf(tenant, 'k'),
  }));
  const held = calls.map(({ name, call }) => wait(waits, call, name, ended));
  await settled();
  expect(ended).toEqual(['t2', 't3']);
  for (const { call } of calls) call.end('closed');
  await Promise.all(held);
  expect(ended.toSorted()).toEqual(calls.map(({ name }) => name).toSorted());
});

test('a wait that has ended takes no place, however it ended, and what has ended before it began never waits', async () => {
  const waits = new ResultWaits(1);
  const ended: string[] = [];
  for (let n = 0; n < 3; n++) {
    await expect(waits.hold(callOf('t', 'k'), () => Promise.reject(new Error('gone')))).rejects.toThrow(
      'gone',
    );
    const over = callOf('t', 'k');
    over.end('closed');
    await wait(waits, over, 'over', ended);
  }
  const last = callOf('t', 'k');
  const held = wait(waits, last, 'last', ended);
  await settled();
  expect(ended).toEqual(['over', 'over', 'over']);
  last.end('closed');
  await held;
});
