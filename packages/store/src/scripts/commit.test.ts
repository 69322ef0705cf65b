import { DEFAULT_LIMITS } from '@baton/protocol';
import { expect, test } from 'vitest';
import { COMMIT } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { type AnyScript, documentedReplyCodes } from '../testing/all-scripts.ts';

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
  const stored = await testTenant.store.projects.open('default');
  expect(stored).toEqual({
    version: '1',
    whole: true,
    limits: { promptTokens: DEFAULT_LIMITS.promptTokens },
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
  expect((await testTenant.store.projects.open('default'))?.fields).toEqual(new Map([['t:1', '{"a":1}']]));
  expect(await testTenant.store.projects.names()).toEqual(['default']);
});

test('a command lands once, whatever is run again', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  await segment.commit('p', undefined, set('t', '1'), outcome('3', '"first"'));
  const crashed = await fixture.shard.reload(segment);
  const before = await fixture.contents();
  const now = await testTenant.store.projects.open('p');
  expect(await crashed!.commit('p', now, set('t', '2'), outcome('3', '"second"'))).toEqual({
    journaled: 'commit+"first"',
  });
  expect(await fixture.contents()).toEqual(before);
});

test('a conflict writes nothing, neither in the project nor in the journal', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  const { projects } = testTenant.store;
  expect(await projects.commit('p', undefined, set('t', '1'))).toBe('committed');
  const before = await fixture.contents();
  expect(await segment.commit('p', undefined, set('t', '2'), outcome('3', '1'))).toBe('conflict');
  expect(await projects.commit('p', undefined, set('t', '3'))).toBe('conflict');
  expect(await fixture.contents()).toEqual(before);
});

test('of many commits on one version exactly one lands, and those that try again all land', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const at = await projects.open('p');
  const landed = await Promise.all(
    Array.from({ length: 10 }, (_, n) => projects.commit('p', at, set(`t:${n}`, '1'))),
  );
  expect(landed.filter((reply) => reply === 'committed')).toHaveLength(1);
  const append = async (n: number): Promise<void> => {
    for (;;)
      if ((await projects.commit('p', await projects.open('p'), set(`u:${n}`, '1'))) === 'committed') return;
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => append(n)));
  expect(await projects.open('p')).toMatchObject({ version: '11', fields: { size: 11 } });
});

test('a segment that lost its task commits nothing', async () => {
  const testTenant = await fixture.createTenant();
  const segment = await running(testTenant);
  await fixture.shard.reload(segment);
  expect(await segment.commit('p', undefined, set('t', '1'), outcome('3', '1'))).toBe('stale');
  expect(await testTenant.store.projects.open('p')).toBeUndefined();
  expect(await testTenant.store.projects.names()).toEqual([]);
});

test.each(['default', '', 'a/b c', '{s1}', 'Überplan %20', 'x:y|z', '\u0000\n', 'a'.repeat(500)])(
  'a project is found under its name, whatever that is: %j',
  async (name) => {
    const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
    await testTenant.store.projects.commit(name, undefined, set('t', name));
    expect((await testTenant.store.projects.open(name))?.fields.get('t')).toBe(name);
    expect(await testTenant.store.projects.names()).toEqual([name]);
    expect(await other.store.projects.open(name)).toBeUndefined();
  },
);

test('no field of a project may be its version', async () => {
  const testTenant = await fixture.createTenant();
  await expect(testTenant.store.projects.commit('p', undefined, set('v', '9'))).rejects.toMatchObject({
    code: 'internal',
  });
});

test('an attempt that is sent again changes nothing and says the same, whatever landed since', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const calls: [AnyScript, readonly string[], readonly (string | number)[]][] = [];
  const { connection } = fixture;
  const evaluate = connection.evaluate.bind(connection);
  connection.evaluate = async (script, keys, args) => {
    calls.push([script as AnyScript, keys, args]);
    return evaluate(script, keys, args);
  };
  await projects.commit('p', undefined, set('t', '1'));
  connection.evaluate = evaluate;
  await projects.commit('p', { version: '1' }, set('t', '2'));
  const before = await fixture.contents();
  const [script, keys, args] = calls[0]!;
  expect(await evaluate(script, keys, args)).toEqual(['committed', '1']);
  expect(await fixture.contents()).toEqual(before);
  const unknown = async () =>
    recorder.withMutant(COMMIT, [["if A_attempt ~= '' and has_landed(A_attempt)", 'if false']], () =>
      connection.evaluate(script, keys, args),
    );
  expect(await unknown(), 'it is known by its attempt alone').toEqual(['conflict', '2']);
});

test('copied fields get the values that others had before the change, and sets and deletions come after', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  await projects.commit('p', undefined, {
    set: [
      ['a', '1'],
      ['b', '2'],
    ],
    delete: [],
  });
  await projects.commit(
    'p',
    { version: '1' },
    {
      set: [['a', '3']],
      copy: [
        ['a', 'b'],
        ['b', 'c'],
        ['none', 'd'],
      ],
      delete: ['a'],
    },
  );
  expect((await projects.open('p'))?.fields).toEqual(
    new Map([
      ['b', '1'],
      ['c', '2'],
    ]),
  );
});

test('an idempotency key returns the first outcome, is a conflict with other arguments, and another key commits', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const first = { key: 'k', arguments: 'a', outcome: '{"id":"1 .1"}' };
  expect(await projects.commit('p', undefined, set('t', '1'), first)).toBe('committed');
  const before = await fixture.contents();
  const again = { ...first, outcome: '"other"' };
  expect(await projects.commit('p', { version: '1' }, set('t', '2'), again)).toEqual({
    replayed: first.outcome,
  });
  expect(await errorCode(projects.commit('p', undefined, set('t', '2'), { ...again, arguments: 'b' }))).toBe(
    'idempotency_conflict',
  );
  expect(await projects.keptOutcome(first)).toBe(first.outcome);
  expect(await errorCode(projects.keptOutcome({ ...first, arguments: 'b' }))).toBe('idempotency_conflict');
  expect(await fixture.contents()).toEqual(before);
  expect(await projects.commit('p', { version: '1' }, set('t', '2'), { ...first, key: 'l' })).toBe(
    'committed',
  );
});

test('outcomes are bounded in number and in bytes, and the oldest leave', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  // In order by name too: of those of one millisecond the first by name leaves first.
  const nameOf = (n: number) => `k${String(n).padStart(4, '0')}`;
  let version = 0;
  const keep = async (n: number, outcome = '1') => {
    const before = version === 0 ? undefined : { version: String(version) };
    const kept = { key: nameOf(n), arguments: 'a', outcome };
    expect(await projects.commit('p', before, set('t', `${n}`), kept)).toBe('committed');
    version++;
  };
  for (let n = 0; n < 1_010; n++) await keep(n);
  expect(await fixture.redis.zcard(testTenant.keys.outcomeTimes)).toBe(1_000);
  expect(await fixture.redis.hexists(testTenant.keys.outcomes, nameOf(9))).toBe(0);
  expect(await projects.keptOutcome({ key: nameOf(10), arguments: 'a' })).toBe('1');
  const large = 'x'.repeat(1_000_000);
  for (let n = 2_000; n < 2_006; n++) await keep(n, large);
  const kept = await fixture.redis.hgetall(testTenant.keys.outcomes);
  const bytes = Object.entries(kept).reduce(
    (sum, [key, text]) => sum + (key === 'bytes' ? 0 : text.length),
    0,
  );
  expect(bytes).toBeLessThanOrEqual(4_194_304);
  expect(Number(kept['bytes'])).toBe(bytes);
  expect(await projects.keptOutcome({ key: 'k2005', arguments: 'a' })).toBe(large);
  await keep(3_000, 'y'.repeat(5_000_000));
  expect(await fixture.redis.zcard(testTenant.keys.outcomeTimes), 'the newest stays whatever its size').toBe(
    1,
  );
});

test('a key whose outcome has made room for others is refused as long as its call is known to have landed', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const mine = { key: 'mine', arguments: 'a', outcome: '1' };
  const gone = { key: 'gone', arguments: 'a' };
  await projects.commit('other', undefined, set('t', '1'));
  await projects.delete('other', gone);
  const commit = async (kept: typeof mine) =>
    projects.commit('p', await projects.open('p'), set(`t:${kept.key}`, '1'), kept);
  const landThenOthers = async () => {
    expect(await commit(mine)).toBe('committed');
    for (let n = 0; n < 1_000; n++) await commit({ ...mine, key: `other-${n}` });
  };
  await landThenOthers();
  await projects.commit('other', undefined, set('t', '2'));
  expect(await fixture.redis.hexists(testTenant.keys.outcomes, 'mine')).toBe(0);
  const before = await fixture.contents();
  const refusal = { code: 'idempotency_conflict', details: { landed: true } };
  await expect(projects.keptOutcome(mine)).rejects.toMatchObject(refusal);
  await expect(commit(mine)).rejects.toMatchObject(refusal);
  await expect(projects.delete('other', gone)).rejects.toMatchObject(refusal);
  expect(await fixture.contents()).toEqual(before);

  await fixture.redis.del(testTenant.keys.landed, testTenant.keys.outcomes, testTenant.keys.outcomeTimes);
  const forgetful = ['remember_landed(now, A_key)', ''] as const;
  await recorder.withMutant(COMMIT, [forgetful], landThenOthers);
  expect(await projects.keptOutcome(mine)).toBeUndefined();
  expect(await commit(mine), 'not remembered, it lands again').toBe('committed');
});

test('keys and attempts that landed are bounded in number, and the oldest leave', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const { landed } = testTenant.keys;
  const newer = Array.from({ length: 10_000 }, (_, n) => [9e15, `newer-${n}`]).flat();
  await fixture.redis.zadd(landed, ...newer);
  await projects.commit('p', undefined, set('t', '1'), { key: 'k', arguments: 'a', outcome: '1' });
  expect(await fixture.redis.zcard(landed)).toBe(10_000);
  expect(await fixture.redis.zscore(landed, 'k')).toBeNull();
  expect(await fixture.redis.pttl(landed)).toBeLessThanOrEqual(60_000);
});

test('a small project is read whole, of a larger one the fields that are named, all at one version', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  await projects.commit('p', undefined, {
    set: [
      ['a', '1'],
      ['b', 'x'.repeat(60_000)],
    ],
    delete: [],
  });
  expect(await projects.open('p', ['a'])).toMatchObject({ whole: true, fields: { size: 2 } });
  expect(await projects.read('p', ['a', 'none'])).toEqual({
    version: '1',
    whole: false,
    limits: { promptTokens: DEFAULT_LIMITS.promptTokens },
    fields: new Map([
      ['a', '1'],
      ['none', undefined],
    ]),
  });
  await projects.commit('p', { version: '1' }, set('c', 'x'.repeat(6_000)));
  expect(await projects.open('p', ['a'])).toEqual({
    version: '2',
    whole: false,
    limits: { promptTokens: DEFAULT_LIMITS.promptTokens },
    fields: new Map([['a', '1']]),
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
    expect(await projects.commit('first', { version: '1' }, set('t:1', 'z'))).toBe('committed');
  },
);

test('a project in the place of a deleted one is never taken for it', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  await projects.commit('p', undefined, set('t:1', '1'));
  const seen = await projects.open('p');
  await projects.delete('p');
  expect(await projects.open('p')).toBeUndefined();
  expect(await projects.commit('p', seen, set('t:1', '2')), 'what is gone has no version').toBe('conflict');
  await projects.commit('p', undefined, set('t:1', '3'));
  expect(await projects.commit('p', seen, set('t:1', '4')), 'nor has another that version').toBe('conflict');
  await expect(projects.delete('q')).rejects.toMatchObject({ code: 'project_not_found' });
});

test('every code of COMMIT was reached', () => {
  expect(recorder.codes(COMMIT)).toEqual(documentedReplyCodes(COMMIT));
});
