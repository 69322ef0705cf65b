import { expect, test } from 'vitest';
import { COMMIT, STAGE_CHANGE } from '../scripts/registry.ts';
import { countedStorage, measureStorage } from '../testing/measured-storage.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, type TestTenant } from '../testing/test-tenant.ts';
import type { ProjectChange } from './project-change.ts';

/** A change that is too large for one command is staged, and lands as a small one does: all or nothing. */
const fixture = await openFixture();
const { recorder, redis } = fixture;

/** What STAGE_CHANGE replies while this runs. */
async function repliesOf(run: () => Promise<unknown>): Promise<unknown[][]> {
  const before = recorder.replies(STAGE_CHANGE).length;
  await run();
  return recorder.replies(STAGE_CHANGE).slice(before);
}

const fields = (count: number, value = (n: number) => `"${'ä'.repeat(n % 40)}"`, from = 0) =>
  Array.from({ length: count }, (_, n) => [`t:${n + from}`, value(n)] as const);

const LARGE: ProjectChange = {
  set: [...fields(300, (n) => `{"new":${n}}`, 400), ['meta', '{"changed":true}']],
  copy: fields(500).map(([name]) => [name, `c:${name}`] as const),
  delete: fields(90).map(([name]) => name),
};

async function readAll({ keys }: TestTenant, name: string) {
  const { v: _, ...record } = await redis.hgetall(keys.project(name));
  return record;
}

async function expectNothingStaged(tenant: TestTenant) {
  expect(await redis.keys(`${tenant.keys.tenant}:staged:*`)).toEqual([]);
  expect(await countedStorage(redis, tenant.keys)).toEqual(await measureStorage(redis, tenant.keys));
}

async function createProject(tenant: TestTenant, name: string) {
  const { projects } = tenant.store;
  const change = { set: [...fields(600), ['meta', '{}'] as const], delete: [] };
  expect(await projects.commit(name, undefined, change)).toBe('committed');
}

/** Lets `meddle` run behind the nth part that is staged, or behind the last one. */
async function behindPart<T>(
  nth: number | 'last',
  meddle: () => Promise<unknown>,
  run: () => Promise<T>,
): Promise<T> {
  const { connection } = fixture;
  const evaluate = connection.evaluate.bind(connection);
  let parts = 0;
  let met = false;
  const meet = async () => {
    if (met) return;
    met = true;
    await meddle();
  };
  connection.evaluate = async (script, keys, args) => {
    if (nth === 'last' && script.sha === COMMIT.sha) await meet();
    const reply = await evaluate(script, keys, args);
    if (script.sha === STAGE_CHANGE.sha && ++parts === nth) await meet();
    return reply;
  };
  try {
    return await run();
  } finally {
    connection.evaluate = evaluate;
  }
}

test('a staged change leaves what one that is written at once leaves, and no command passes more than a part', async () => {
  const tenant = await fixture.createTenant();
  const { projects } = tenant.store;
  const created = await repliesOf(() => createProject(tenant, 'staged'));
  expect(created).toHaveLength(4);
  await createProject(tenant, 'at once');
  await expectNothingStaged(tenant);
  const commit = async (name: string, change: ProjectChange) =>
    expect(await projects.commit(name, { version: '1' }, change)).toBe('committed');
  expect((await repliesOf(() => commit('staged', LARGE))).length).toBeGreaterThan(8);
  expect(await repliesOf(() => commit('at once', { ...LARGE, atOnce: true }))).toEqual([]);
  const left = await readAll(tenant, 'staged');
  expect(Object.keys(left)).toHaveLength(601 + 100 + 500 - 90);
  expect(left).toEqual(await readAll(tenant, 'at once'));
  expect(await redis.ttl(tenant.keys.project('staged')), 'a project never expires').toBe(-1);
  expect((await projects.open('staged'))?.version).toBe('2');
  await expectNothingStaged(tenant);
});

test('values that are long are copied a few at a time', async () => {
  const tenant = await fixture.createTenant();
  const { projects } = tenant.store;
  const long = fields(20, (n) => `"${String(n).repeat(60_000)}"`);
  expect(await projects.commit('p', undefined, { set: long, delete: [] })).toBe('committed');
  const copy = long.map(([name]) => [name, `c:${name}`] as const);
  const set = fields(200, () => '1', 100);
  const replies = await repliesOf(() => projects.commit('p', { version: '1' }, { set, copy, delete: [] }));
  const copied = replies.map((reply) => Number(reply[2]));
  expect(copied.reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(Math.max(...copied)).toBeLessThan(10);
  expect((await readAll(tenant, 'p'))['c:t:19']).toBe(long[19]![1]);
  await expectNothingStaged(tenant);
});

test.each([1, 4, 8, 'last' as const])(
  'a change that another overtakes behind part %s is a conflict, and nothing of it stays',
  async (nth) => {
    const tenant = await fixture.createTenant();
    const { projects } = tenant.store;
    await createProject(tenant, 'p');
    const other = () => projects.commit('p', { version: '1' }, { set: [['meta', '"other"']], delete: [] });
    expect(await behindPart(nth, other, () => projects.commit('p', { version: '1' }, LARGE))).toBe(
      'conflict',
    );
    const left = await readAll(tenant, 'p');
    expect(left['meta']).toBe('"other"');
    expect(Object.keys(left)).toHaveLength(601);
    await expectNothingStaged(tenant);
  },
);

/** The staged parts of a change are lost behind its nth part, and the project is as before. */
async function expectLostPartsToBeNoticed(nth: number | 'last') {
  const tenant = await fixture.createTenant();
  await createProject(tenant, 'p');
  const before = await readAll(tenant, 'p');
  const lose = async () => redis.del(await redis.keys(`${tenant.keys.tenant}:staged:*`));
  const reply = behindPart(nth, lose, () => tenant.store.projects.commit('p', { version: '1' }, LARGE));
  expect(await reply).toBe('conflict');
  expect(await readAll(tenant, 'p')).toEqual(before);
  await expectNothingStaged(tenant);
}

test.each([1, 4, 8, 'last' as const])(
  'a change whose staged parts are lost behind part %s is a conflict: no project loses what was staged',
  expectLostPartsToBeNoticed,
);

test('without the number of its last part a project would lose what was staged', async () => {
  const guard = '(last ~= A_part and tonumber(last) ~= A_part - 1)';
  await recorder.withMutant(STAGE_CHANGE, [[guard, 'false']], () =>
    expect(expectLostPartsToBeNoticed(4)).rejects.toThrow(),
  );
  await recorder.withMutant(COMMIT, [['if part ~= A_parts then', 'if false then']], () =>
    expect(expectLostPartsToBeNoticed('last')).rejects.toThrow(),
  );
});

test('a change that has no room is refused, and nothing of it stays', async () => {
  const tenant = await fixture.createTenant({ storedBytes: 40_000 });
  const change = { set: fields(600), delete: [] };
  expect(await errorCode(tenant.store.projects.commit('p', undefined, change))).toBe('limit_storage');
  expect(await redis.exists(tenant.keys.project('p'))).toBe(0);
  await expectNothingStaged(tenant);
});

test('what is staged and never committed expires', async () => {
  const tenant = await fixture.createTenant();
  await createProject(tenant, 'p');
  let ttl = 0;
  const look = async () => {
    const [staged = ''] = await redis.keys(`${tenant.keys.tenant}:staged:*`);
    ttl = await redis.pttl(staged);
  };
  await behindPart(3, look, () => tenant.store.projects.commit('p', { version: '1' }, LARGE));
  expect(ttl).toBeGreaterThan(50_000);
  expect(ttl).toBeLessThanOrEqual(60_000);
});
