import { expect, test } from 'vitest';
import { COMMIT } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder } = fixture;

const outcome = (path: string, entry: string) => ({ path, entry: `commit+${entry}`, journal: [] });
const set = (field: string, value: string) => ({ set: [[field, value]] as const, delete: [] });

async function running(testTenant: TestTenant) {
  await testTenant.openTask({ waits: [llmWait('0')], ready: true });
  return fixture.loadSegment();
}

test('COMMIT writes the change, the outcome and what the segment had done before, together', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  const change = {
    set: [
      ['t:1', '{"a":1}'],
      ['meta', '{}'],
    ] as const,
    delete: [],
  };
  const within = {
    path: '3',
    entry: 'commit+{"ids":[1]}',
    journal: [
      ['1', 'read+null'],
      ['2', 'check+1'],
    ] as const,
  };
  expect(await segment.commit('default', undefined, change, within)).toBe('committed');
  const stored = await testTenant.store.projects.read('default');
  expect(stored).toEqual({
    version: '1',
    fields: new Map([
      ['t:1', '{"a":1}'],
      ['meta', '{}'],
    ]),
  });
  expect(await testTenant.readRecord(segment.taskId)).toMatchObject({
    'j:1': 'read+null',
    'j:2': 'check+1',
    'j:3': 'commit+{"ids":[1]}',
  });
  expect(await segment.commit('default', stored, { set: [], delete: ['meta'] }, outcome('4', '2'))).toBe(
    'committed',
  );
  expect((await testTenant.store.projects.read('default'))?.fields).toEqual(new Map([['t:1', '{"a":1}']]));
  expect(await testTenant.store.projects.names()).toEqual(['default']);
});

test('a command lands once, whatever is run again', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  await segment.commit('p', undefined, set('t', '1'), outcome('3', '"first"'));
  const crashed = await fixture.shard.reload(segment);
  const before = await fixture.contents();
  const now = await testTenant.store.projects.read('p');
  expect(await crashed!.commit('p', now, set('t', '2'), outcome('3', '"second"'))).toEqual({
    journaled: 'commit+"first"',
  });
  expect(await fixture.contents()).toEqual(before);
});

test('a conflict writes nothing, neither in the project nor in the journal', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  const { projects } = testTenant.store;
  expect(await projects.commit('p', undefined, set('t', '1'))).toBe(true);
  const before = await fixture.contents();
  expect(await segment.commit('p', undefined, set('t', '2'), outcome('3', '1'))).toBe('conflict');
  expect(await projects.commit('p', undefined, set('t', '3'))).toBe(false);
  expect(await fixture.contents()).toEqual(before);
});

test('of many commits on one version exactly one lands, and those that try again all land', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const at = await projects.read('p');
  const landed = await Promise.all(
    Array.from({ length: 10 }, (_, n) => projects.commit('p', at, set(`t:${n}`, '1'))),
  );
  expect(landed.filter(Boolean)).toHaveLength(1);
  const append = async (n: number): Promise<void> => {
    for (;;) if (await projects.commit('p', await projects.read('p'), set(`u:${n}`, '1'))) return;
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => append(n)));
  expect(await projects.read('p')).toMatchObject({ version: '11', fields: { size: 11 } });
});

test('a segment that lost its task commits nothing', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  await fixture.shard.reload(segment);
  expect(await segment.commit('p', undefined, set('t', '1'), outcome('3', '1'))).toBe('stale');
  expect(await testTenant.store.projects.read('p')).toBeUndefined();
  expect(await testTenant.store.projects.names()).toEqual([]);
});

test.each(['default', '', 'a/b c', '{s1}', 'Überplan %20', 'x:y|z', '\u0000\n', 'a'.repeat(500)])(
  'a project is found under its name, whatever that is: %j',
  async (name) => {
    const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
    await testTenant.store.projects.commit(name, undefined, set('t', name));
    expect((await testTenant.store.projects.read(name))?.fields.get('t')).toBe(name);
    expect(await testTenant.store.projects.names()).toEqual([name]);
    expect(await other.store.projects.read(name)).toBeUndefined();
  },
);

test('no field of a project may be its version', async () => {
  const testTenant = await fixture.createTenant();
  await expect(testTenant.store.projects.commit('p', undefined, set('v', '9'))).rejects.toMatchObject({
    code: 'internal',
  });
});

test.each([
  ['storedBytes', 6_000, 'x'.repeat(9_000)],
  ['projectBytes', 2_000, 'x'.repeat(3_000)],
  ['projects', 1, 'x'],
] as const)(
  'a change over %s is refused and changes nothing; what shrinks a project is not',
  async (limit, most, text) => {
    const testTenant = await fixture.createTenant();
    const { projects } = testTenant.store;
    await projects.commit('first', undefined, set('t:1', 'y'.repeat(1_000)));
    const segment = await running(testTenant);
    await fixture.operators.update(testTenant.store.id, { limits: { [limit]: most } });
    const before = await fixture.contents();
    const refused = await projects.commit('second', undefined, set('t:1', text)).catch((error) => error);
    expect(refused).toMatchObject({ code: 'limit_storage', details: { limit, most } });
    const inTask = segment.commit('second', undefined, set('t:1', text), outcome('3', '1'));
    expect(await inTask.catch(({ code }) => code)).toBe('limit_storage');
    expect(await fixture.contents()).toEqual(before);
    await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 1, projectBytes: 1 } });
    expect(await projects.commit('first', { version: '1' }, set('t:1', 'z'))).toBe(true);
  },
);

test('a project in the place of a deleted one is never taken for it', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  await projects.commit('p', undefined, set('t:1', '1'));
  const seen = await projects.read('p');
  await projects.delete('p');
  expect(await projects.read('p')).toBeUndefined();
  expect(await projects.commit('p', seen, set('t:1', '2')), 'what is gone has no version').toBe(false);
  await projects.commit('p', undefined, set('t:1', '3'));
  expect(await projects.commit('p', seen, set('t:1', '4')), 'nor has another that version').toBe(false);
  await expect(projects.delete('q')).rejects.toMatchObject({ code: 'project_not_found' });
});

test('every code of COMMIT was reached', () => {
  expect(recorder.codes(COMMIT)).toEqual(documentedReplyCodes(COMMIT));
});
