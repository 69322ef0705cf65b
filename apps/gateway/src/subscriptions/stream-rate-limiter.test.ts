import { expect, test } from 'vitest';
import { StreamRateLimiter } from './stream-rate-limiter.ts';

test("what one tenant's streams are told follows one another, each behind what the one before it cost, and holds up no other tenant's", async () => {
  const rateLimiter = new StreamRateLimiter();
  const begun: string[] = [];
  const write = (tenant: string, name: string, characters = 1) =>
    rateLimiter.run(tenant, async () => {
      begun.push(name);
      return characters;
    });
  const large = write('a', 'a1', 2 ** 23);
  const next = write('a', 'a2');
  await write('b', 'b1');
  await large;
  expect(begun).toEqual(['a1', 'b1']);
  await next;
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('the event loop turns between two writes of a tenant', async () => {
  const rateLimiter = new StreamRateLimiter();
  let turns = 0;
  const atOfWrite: number[] = [];
  const turn = () => {
    turns++;
    if (atOfWrite.length < 3) setImmediate(turn);
  };
  setImmediate(turn);
  const write = () => rateLimiter.run('a', () => (atOfWrite.push(turns), 1));
  await Promise.all([write(), write(), write()]);
  expect(new Set(atOfWrite).size).toBe(3);
});

test('a write that fails fails by itself', async () => {
  const rateLimiter = new StreamRateLimiter();
  const failing = rateLimiter.run('a', async () => {
    throw new Error('gone');
  });
  const next = rateLimiter.run('a', () => 1);
  await expect(failing).rejects.toThrow('gone');
  await next;
});
