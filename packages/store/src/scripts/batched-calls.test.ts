import { taskRef } from '../records/keys.ts';
import { expect, test } from 'vitest';
import type { Limits } from '@baton/protocol';
import type { FencedSegment } from '../tasks/fenced-segment.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { endedTurn, openTurn } from '../testing/conversation-steps.ts';
import { errorCode, llmWait, newTask } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;
const AT_ONCE = 8;
const GROWTH = 20_000;

/** Up to sixteen runs of one turn are one command of Redis: what they share must be as exact as one by one. */
test.each<[string, Partial<Limits>, number, string]>([
  ['pendingInteractions', { pendingInteractions: 5 }, 5, 'limit_pending'],
  ['openTasks', { openTasks: 5 }, 5, 'limit_pending'],
  ['burst', { requestsPerSecond: 1, burst: 5 }, 5, 'limit_rate'],
])('opens that come at once fill the limit %s, and no more', async (_limit, limits, most, code) => {
  // A script that the server does not know yet is a command more.
  await (await fixture.createTenant()).openTask();
  const testTenant = await fixture.createTenant(limits);
  const callers = await Promise.all(Array.from({ length: AT_ONCE }, () => testTenant.caller()));
  const before = await evals();
  const codes = await Promise.all(callers.map((caller) => errorCode(testTenant.openTask({}, caller))));
  expect((await evals()) - before, 'they were one command').toBe(1);
  expect(codes.filter((one) => one === 'done')).toHaveLength(most);
  expect(new Set(codes.filter((one) => one !== 'done'))).toEqual(new Set([code]));
  expect(await redis.zcard(testTenant.keys.pending)).toBe(most);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe(String(most));
});

test('a tenant that spends its limit takes nothing from another in the same command', async () => {
  const [small, wide] = [await fixture.createTenant({ openTasks: 1 }), await fixture.createTenant()];
  const testTenants = [small, wide, small, wide, small, wide];
  const callers = await Promise.all(testTenants.map((testTenant) => testTenant.caller()));
  const codes = await Promise.all(
    testTenants.map((testTenant, n) => errorCode(testTenant.openTask({}, callers[n]))),
  );
  expect(codes).toEqual(['done', 'done', 'limit_pending', 'done', 'limit_pending', 'done']);
  const counts = [small, wide].map((testTenant) => redis.hget(testTenant.keys.tenant, 'open'));
  expect(await Promise.all(counts)).toEqual(['1', '3']);
});

test('answers that come at once ask for one job of each tenant, and each task is taken once', async () => {
  const testTenants = [await fixture.createTenant(), await fixture.createTenant()];
  const tasks: { testTenant: (typeof testTenants)[number]; taskId: string }[] = [];
  for (let n = 0; n < 6; n++) {
    const testTenant = testTenants[n % 2]!;
    tasks.push({ testTenant, taskId: await testTenant.openTask(newTask()) });
  }
  const callers = await Promise.all(tasks.map(({ testTenant }) => testTenant.caller()));
  await Promise.all(
    tasks.map(({ testTenant, taskId }, n) => testTenant.answer(taskId, 1, { as: callers[n]! })),
  );
  for (const testTenant of testTenants) {
    expect(await redis.hgetall(testTenant.keys.jobs)).toEqual({ ready: '1', next: '1' });
    const taken = (await fixture.loadSegments(10)).map(({ taskId }) => taskId);
    expect(taken.sort()).toEqual(
      tasks.flatMap((task) => (task.testTenant === testTenant ? [task.taskId] : [])).sort(),
    );
  }
});

test('ends that come at once leave nothing of their tasks in any set', async () => {
  const testTenant = await fixture.createTenant();
  const taskIds: string[] = [];
  for (let n = 0; n < 5; n++) taskIds.push(await testTenant.openTask({ waits: [], ready: true }));
  const segments = await fixture.loadSegments(10);
  const ends = await Promise.all(
    segments.map((segment) =>
      segment.settle({ status: 'completed', result: { n: taskRef(segment.taskId) } }),
    ),
  );
  expect(ends).toEqual(taskIds.map(() => 'settled'));
  const { deadlines, ready, pending } = testTenant.keys;
  expect(await Promise.all([deadlines, ready, pending].map((set) => redis.zcard(set)))).toEqual([0, 0, 0]);
  expect(Object.keys(await redis.hgetall(testTenant.keys.jobs)).sort(), 'the batch has ended').toEqual([
    'next',
    'ready',
  ]);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
});

test.each<[string, (segment: FencedSegment, text: string) => Promise<unknown>]>([
  [
    'ends of turns',
    ({ turn, taskId }, text) => turn.end(taskId, endedTurn([{ role: 'user', content: text }])),
  ],
  ['parks', (segment, text) => segment.park({ journal: [], drops: [], waits: [llmWait('8', text)] })],
])('%s that come at once fill what the tenant may store, and no more', async (_name, run) => {
  // A script that the server does not know yet is a command more.
  await openTurn(await fixture.createTenant());
  for (const segment of await fixture.loadSegments(10)) await run(segment, 'x');
  const testTenant = await fixture.createTenant();
  for (let n = 0; n < 6; n++) await openTurn(testTenant);
  const segments = await fixture.loadSegments(10);
  const used = Number(await redis.hget(testTenant.keys.tenant, 'stored'));
  // Tasks that were accepted may go on above the limit by a quarter.
  const storedBytes = Math.ceil(((used + GROWTH * 2.5) * 4) / 5);
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes } });
  const before = await evals();
  const codes = await Promise.all(segments.map((segment) => errorCode(run(segment, 'x'.repeat(GROWTH)))));
  expect((await evals()) - before, 'they were one command').toBe(1);
  expect(codes.sort()).toEqual(['done', 'done', ...Array(4).fill('limit_storage')]);
});

test('commits that come at once fill what the tenant may store, and no more; of those of one project the first lands', async () => {
  const wide = await fixture.createTenant();
  const [text, names] = ['x'.repeat(GROWTH), ['a', 'b', 'c', 'd', 'a', 'b']];
  const commit = ({ store: { projects } }: typeof wide, name: string) =>
    projects.commit(name, undefined, { set: [['field', text]], delete: [] });
  await commit(wide, 'warm');
  const before = await evals();
  const replies = await Promise.all(names.map((name) => commit(wide, name)));
  expect((await evals()) - before, 'they were one command').toBe(1);
  expect(replies).toEqual([...Array(4).fill('committed'), 'conflict', 'conflict']);

  const copy = { set: [], copy: [['field', 'copied']] as const, delete: [] };
  const beforeCopies = await evals();
  await Promise.all(['a', 'b'].map((name) => wide.store.projects.commit(name, { version: '1' }, copy)));
  expect((await evals()) - beforeCopies, 'a copy may be long').toBe(2);

  const small = await fixture.createTenant({ storedBytes: Math.ceil(GROWTH * 2.5) });
  const codes = await Promise.all(names.slice(0, 4).map((name) => errorCode(commit(small, name))));
  expect(codes).toEqual(['done', 'done', 'limit_storage', 'limit_storage']);
  expect(await small.store.projects.names()).toEqual(['a', 'b']);
});

test('reads that come at once are one command, and share what it may tell of changes and of whole projects', async () => {
  const { projects } = (await fixture.createTenant()).store;
  const large = 'x'.repeat(150_000);
  for (const name of ['a', 'b', 'c']) {
    await projects.commit(name, undefined, { set: [['field', '1']], delete: [] });
    const field = name === 'b' ? '2' : large;
    await projects.commit(name, { version: '1' }, { set: [['field', field]], delete: [] });
  }
  // A script that the server does not know yet is a command more.
  await projects.read('a', []);
  const commandsOf = async <T>(run: () => Promise<T>) => {
    const before = await evals();
    return { value: await run(), commands: (await evals()) - before };
  };
  const reads = await commandsOf(() =>
    Promise.all(['a', 'c', 'b', 'none'].map((name) => projects.read(name, [], '1'))),
  );
  // Of the second it would be more than one command tells: its reader reads anew.
  expect(reads.value.map((read) => read?.changed?.size)).toEqual([1, undefined, 1, undefined]);
  expect(reads.commands).toBe(1);

  const names = ['p0', 'p1', 'p2', 'p3', 'p4'];
  for (const name of names)
    await projects.commit(name, undefined, { set: [['field', 'x'.repeat(60_000)]], delete: [] });
  const opened = await commandsOf(() => Promise.all(names.map((name) => projects.open(name, ['field']))));
  expect(opened.value.map((read) => read?.whole)).toEqual([true, true, true, true, false]);
  expect(opened.value.map((read) => read?.fields.get('field')?.length)).toEqual(names.map(() => 60_000));
  expect(opened.commands).toBe(1);
  const named = await commandsOf(() => Promise.all(names.map((name) => projects.read(name, ['field']))));
  expect(named.commands, 'what is read by name may be long').toBe(5);
});

async function evals(): Promise<number> {
  const info = await redis.info('commandstats');
  return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}
