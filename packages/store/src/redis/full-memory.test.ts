import { interactionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { Store } from '../store.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, asks, codeOf, type Guest } from '../testing/guest.ts';
import { ALL_SCRIPTS } from '../testing/wiretap.ts';

/** Redis full under noeviction: what comes in is refused, what is in goes on to its end. */
const fixture = await openFixture();
const { redis } = fixture;

async function whileFull<T>(body: () => Promise<T>): Promise<T> {
  await redis.config('SET', 'maxmemory', 1);
  try {
    return await body();
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
}

const nothing = { journal: [], drops: [], waits: [] };
const change = { set: [['t:1', '{}'] as const], delete: [] };

test('only the scripts by which content comes in are refused when Redis is full', () => {
  const refused = [...ALL_SCRIPTS.values()].filter(
    (script) => !script.source.startsWith('#!lua flags=allow-oom\n'),
  );
  expect(refused.map((script) => script.name).sort()).toEqual([
    'accept',
    'chunk',
    'commit',
    'open',
    'park',
    'subscribe',
  ]);
});

test.each<[string, (guest: Guest, taskId: string) => Promise<unknown>]>([
  ['a new task', (guest) => guest.open()],
  ['an answer', (guest, taskId) => guest.answer(taskId)],
  [
    'a chunk of an answer',
    async (guest, taskId) =>
      guest.interactions.chunk(await guest.caller(), {
        interactionId: interactionId(taskId, 1),
        sequence: 0,
        delta: 'x',
      }),
  ],
  ['a change of a project', (guest) => guest.tenant.projectsResource.commit('p', undefined, change)],
])('%s is refused, nothing is changed, and it is taken when there is room', async (_what, call) => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  const before = await fixture.contents();
  const refused = await whileFull(() => call(guest, taskId).catch((error: unknown) => error));
  expect(refused).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/memory is full.*Nothing was changed/),
    details: { taken: false },
  });
  expect(await fixture.contents()).toEqual(before);
  expect(await codeOf(call(guest, taskId))).toBe('done');
});

test('a task that was answered before Redis was full ends while it is', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  await guest.answer(taskId);
  await whileFull(async () => {
    await (await fixture.take()).settle({ status: 'completed', result: { text: 'yes' } });
    expect(await guest.tasks.read(ANN, taskId, 'inbox')).toMatchObject({ status: 'completed' });
  });
});

test('a task is cancelled, seen, listed, extended and expired in a full Redis', async () => {
  const guest = await fixture.guest();
  const [cancelled, other] = [await guest.open(), await guest.open({ waits: [asks('0'), asks('1')] })];
  const late = await guest.with({ task: 0 }).open();
  await whileFull(async () => {
    await (await guest.caller()).admit(['mcp']);
    await (await guest.caller()).recheck(['mcp']);
    await guest.tasks.cancel(ANN, cancelled);
    await guest.interactions.cancel(ANN, interactionId(other, 2));
    await guest.interactions.extend(ANN, interactionId(other, 1), 60_000);
    expect((await guest.tenant.queries.pending(ANN, {})).items).toHaveLength(2);
    await fixture.operators.change(guest.tenant.id, { suspended: true });
    await fixture.sweep();
    expect(await guest.tasks.read(ANN, late)).toMatchObject({
      status: 'failed',
      error: { code: 'task_expired' },
    });
  });
});

test('a segment that cannot park is put back as often as it takes, and its tries do not count', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await whileFull(async () => {
    for (let time = 0; time < 20; time++) {
      const segment = await fixture.take();
      expect(segment.state.tries).toBe(1);
      expect(await codeOf(segment.park(nothing))).toBe('unavailable');
      expect(await segment.release()).toBe('released');
      await fixture.loseJobs(guest);
    }
  });
  expect(await (await fixture.take()).park(nothing)).toBe('parked');
  expect((await guest.record(taskId))['tr']).toBe('0');
});

test('a process starts while Redis is full, unless it is the first of all', async () => {
  const options = { url: fixture.url, secret: 'pepper', replica: 'late' };
  expect(await codeOf(whileFull(() => Store.open(options)))).toBe('unavailable');
  await (await Store.open(options)).close();
  await whileFull(async () => {
    const late = await Store.open(options);
    await late.ping();
    await late.close();
  });
});

test('what a lost job had is ready again in a full Redis too', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await fixture.take();
  await whileFull(async () => {
    await fixture.loseJobs(guest);
    expect((await fixture.take()).taskId).toBe(taskId);
  });
});
