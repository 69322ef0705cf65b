import { expect, test } from 'vitest';
import { EXPIRE, OPEN } from '../scripts.ts';
import { openFixture } from '../testing/fixture.ts';
import { sleeps } from '../testing/guest.ts';

const fixture = await openFixture();
const { wiretap, redis, shard } = fixture;
const { shifts } = fixture.places;

/** How often this process was rung for, once what was published so far has come in. */
function bell() {
  let rung = 0;
  return {
    ring: () => void (rung += 1),
    times: () => new Promise<number>((resolve) => setTimeout(() => resolve(rung), 30)),
  };
}

/** For what is handed over where nothing is to be. */
const refuse = () => expect.unreachable('nothing stood alone');

test('a worker on its shift is rung for when a task joins the empty set, and no job is called for', async () => {
  const guest = await fixture.guest();
  const { ring, times } = bell();
  expect(await shard.attend(ring, refuse)).toBe(0);
  await guest.open({ ready: true });
  expect(wiretap.last(OPEN)[1]).toBe(0);
  expect(await times()).toBe(1);
  await guest.open({ ready: true });
  expect(await times(), 'the set was not empty').toBe(1);
  expect(await shard.attend(ring, refuse), 'who goes on with its shift is told what stands ready').toBe(2);
  await shard.leave();
});

test('whatever makes a task ready rings: an answer, a deadline, a lease that is given back', async () => {
  const guest = await fixture.guest();
  const { ring, times } = bell();
  await shard.attend(ring, refuse);
  // Too large to be handed over.
  const taskId = await guest.open({ input: { text: 'x'.repeat(40_000) } });
  await guest.answer(taskId);
  expect(await times()).toBe(1);
  await fixture.take();
  await fixture.endLease(guest.member(taskId));
  expect(await fixture.sweep()).toBe(true);
  expect(await times()).toBe(2);
  await (await fixture.take()).settle({ status: 'completed', result: {} });
  await guest.open({ waits: [sleeps('0', 0)] });
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['due', 0]);
  expect(await times()).toBe(3);
  await shard.leave();
});

test('nobody is rung for after its shift, and who leaves is told what stands ready', async () => {
  const guest = await fixture.guest();
  const { ring, times } = bell();
  await shard.attend(ring, refuse);
  await guest.open({ ready: true });
  expect(await shard.leave()).toBe(1);
  await fixture.take();
  await guest.open({ ready: true });
  expect(wiretap.last(OPEN)[1], 'a job is called for').toBe(1);
  expect(await times()).toBe(1);
});

test('a worker that died on its shift is believed for a while and no longer', async () => {
  const guest = await fixture.guest();
  const { ring, times } = bell();
  await shard.attend(ring, refuse);
  const [channel = '', until] = await redis.zrange(shifts, '0', '-1', 'WITHSCORES');
  expect(Number(until) - Date.now()).toBeLessThan(6_000);
  await redis.zadd(shifts, 1, channel);
  await guest.open({ ready: true });
  expect(wiretap.last(OPEN)[1]).toBe(1);
  expect(await times()).toBe(0);
  await shard.attend(ring, refuse);
  await redis.zadd(shifts, 1, 'long gone');
  await shard.leave();
  expect(await redis.zcard(shifts), 'those who are gone are forgotten').toBe(0);
});
