import { expect, test } from 'vitest';
import { PacedReads } from './paced-reads.ts';

test("one tenant's reads follow one another, each behind what the one before it cost, and hold up no other tenant's", async () => {
  const reads = new PacedReads();
  const begun: string[] = [];
  const read = (tenant: string, name: string, text = 'x') =>
    reads.run(tenant, async () => {
      begun.push(name);
      return text;
    });
  const large = read('a', 'a1', 'x'.repeat(2 ** 23));
  const next = read('a', 'a2');
  expect(await read('b', 'b1')).toBe('x');
  expect(begun).toEqual(['a1', 'b1']);
  expect((await large).length).toBe(2 ** 23);
  await next;
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('a read that fails fails by itself', async () => {
  const reads = new PacedReads();
  const failing = reads.run('a', async () => {
    throw new Error('gone');
  });
  const next = reads.run('a', async () => 'x');
  await expect(failing).rejects.toThrow('gone');
  expect(await next).toBe('x');
});
