import { expect, test } from 'vitest';
import { taskIdFrom } from '@baton/protocol';
import { randomUUID } from 'node:crypto';
import { openFixture } from './testing/fixture.ts';
import { ANN, type Guest } from './testing/guest.ts';
import { TAKE } from './scripts.ts';
import { run } from './script.ts';

const fixture = await openFixture();
const { redis } = fixture;
const { ready, turns, leased } = fixture.places;

/** Leases the next ready tasks without loading them: whose they are. */
async function takeTenants(most: number): Promise<string[]> {
  const [, ...members] = await run(fixture.connection, TAKE, fixture.places, { most, lease: 60_000 });
  return members.map((member) => String(member).split(':')[0]!);
}

async function flood(guest: Guest, count: number): Promise<void> {
  for (let done = 0; done < count; done += 200) {
    const some = Math.min(200, count - done);
    await Promise.all(
      Array.from({ length: some }, () => guest.open({ waits: [], ready: true }, guest.tenant.operator())),
    );
  }
}

test.each([
  ['a', 'b'],
  ['b', 'a'],
])(
  "the first task of tenant %s is among the next two, however deep tenant %s's backlog",
  async (small, large) => {
    const [a, b] = [await fixture.guest({}, large), await fixture.guest({}, small)];
    await flood(a, 2_000);
    await takeTenants(137);
    for (let at = 0; at < 20; at++) {
      await b.open({ waits: [], ready: true });
      expect(await takeTenants(2), `task ${at}`).toContain(small);
    }
    expect(await redis.zcard(ready)).toBe(2_000 - 137 - 20);
  },
);

test('three tenants with work take turns, each of their tasks in the order in which they came', async () => {
  const guests = await Promise.all(['x', 'y', 'z'].map((id) => fixture.guest({}, id)));
  for (const guest of guests) await flood(guest, 30);
  const order = await takeTenants(90);
  for (let round = 0; round < 30; round++) {
    expect(new Set(order.slice(round * 3, round * 3 + 3)), `round ${round}`).toEqual(
      new Set(['x', 'y', 'z']),
    );
  }
});

test('within a tenant what came first is taken first', async () => {
  const guest = await fixture.guest();
  const ids = [];
  for (let at = 0; at < 12; at++) ids.push(await guest.open({ ready: true }));
  const taken = (await fixture.shard.take(12)).segments.map((segment) => segment.taskId);
  expect(taken).toEqual(ids);
});

test('the turns are forgotten when the ready set empties, so nobody pays for yesterday', async () => {
  const [a, b] = [await fixture.guest({}, 'a'), await fixture.guest({}, 'b')];
  await flood(a, 50);
  expect(Number(await redis.hget(turns, 'a'))).toBe(50);
  await takeTenants(50);
  expect(await redis.exists(turns)).toBe(0);
  await flood(b, 5);
  await flood(a, 1);
  expect(await takeTenants(2)).toContain('a');
});

test('the turns are forgotten too when the ready set empties by cancellation', async () => {
  const [a, b] = [await fixture.guest({}, 'a'), await fixture.guest({}, 'b')];
  const ids = [];
  for (let at = 0; at < 20; at++) ids.push(await a.open({ waits: [], ready: true }));
  for (const id of ids) await a.tasks.cancel(ANN, id);
  expect(await takeTenants(1)).toEqual([]);
  expect(await redis.exists(turns)).toBe(0);
  await flood(b, 5);
  await flood(a, 1);
  expect(await takeTenants(2)).toContain('a');
});

test('a member that names no task of anyone does not stop the others', async () => {
  const guest = await fixture.guest();
  await redis.zadd(ready, 0, guest.member(taskIdFrom(randomUUID())));
  const taskId = await guest.open({ ready: true });
  const { segments } = await fixture.shard.take(10);
  expect(segments.map((segment) => segment.taskId)).toEqual([taskId]);
  expect(await redis.zrange(leased, '0', '-1')).toEqual([guest.member(taskId)]);
});
