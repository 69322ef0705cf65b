import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import type { TestTenant } from '../testing/test-tenant.ts';

/** What READ_PROJECT tells of what has changed since the version that its reader knows. */
const fixture = await openFixture();

async function commitAll({ store: { projects } }: TestTenant, changes: readonly object[], from = 0) {
  for (const [at, change] of changes.entries()) {
    const before = at + from === 0 ? undefined : { version: String(at + from) };
    const reply = await projects.commit('p', before, { set: [], delete: [], ...change });
    expect(reply).toBe('committed');
  }
}

test('the reader is given each field that has changed once, as it is now, and none of what a copy or a deletion left out', async () => {
  const testTenant = await fixture.createTenant();
  await commitAll(testTenant, [
    {
      set: [
        ['a', '1'],
        ['b', '1'],
        ['gone', '1'],
      ],
    },
    { set: [['a', '2']] },
    {},
    { set: [['a', '3']], copy: [['b', 'copied']] },
    { delete: ['gone'] },
  ]);
  const { projects } = testTenant.store;
  const since = async (version: string, fields: string[] = []) => projects.read('p', fields, version);
  const all = new Map([
    ['gone', undefined],
    ['a', '3'],
    ['copied', '1'],
  ]);
  expect(await since('1', ['b', 'none'])).toMatchObject({ version: '5', changed: all });
  expect((await since('1', ['b', 'none']))?.fields).toEqual(
    new Map([
      ['b', '1'],
      ['none', undefined],
    ]),
  );
  expect((await since('3'))?.changed).toEqual(all);
  expect((await since('4'))?.changed).toEqual(new Map([['gone', undefined]]));
  expect((await since('5'))?.changed).toEqual(new Map());
});

test('what is not known any more is not told: before the first version, behind the last, too many changes, fields or bytes, after the list is gone', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const changed = async (version: string) => (await projects.read('p', [], version))?.changed;
  await commitAll(testTenant, [{ set: [['a', '1']] }, { set: [['a', '2']] }]);
  expect([await changed(''), await changed('0'), await changed('3')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await changed('1')).toEqual(new Map([['a', '2']]));

  const many = Array.from({ length: 65 }, (_, n): [string, string] => [`f${n}`, '1']);
  await commitAll(testTenant, [{ set: many }, { set: many.slice(1) }], 2);
  expect([await changed('2'), (await changed('3'))?.size]).toEqual([undefined, 64]);

  const long = 'n'.repeat(2_048);
  await commitAll(
    testTenant,
    [{ set: [[long, '1']] }, { delete: [long, ...many.map(([field]) => field)] }],
    4,
  );
  expect(await changed('4')).toBeUndefined();

  await commitAll(testTenant, [{ set: [['large', 'x'.repeat(262_145)]] }, { set: [['a', '3']] }], 6);
  expect([await changed('6'), await changed('7')]).toEqual([undefined, new Map([['a', '3']])]);

  await commitAll(
    testTenant,
    Array.from({ length: 257 }, (_, n) => ({ set: [['a', String(n)]] })),
    8,
  );
  expect([await changed('8'), await changed('9')]).toEqual([undefined, new Map([['a', '256']])]);
  expect(await fixture.redis.llen(testTenant.keys.projectChanges('p'))).toBe(256);

  await fixture.redis.del(testTenant.keys.projectChanges('p'));
  await commitAll(testTenant, [{ set: [['a', 'x']] }], 265);
  expect([await changed('264'), await changed('265')]).toEqual([undefined, new Map([['a', 'x']])]);
});

test('a project that takes the place of a deleted one is read anew, whatever version of the other is known', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  await commitAll(testTenant, [{ set: [['old', '1']] }, { set: [['a', '1']] }]);
  await projects.delete('p');
  expect(await projects.read('p', [], '2')).toBeUndefined();
  await projects.commit('p', undefined, { set: [['a', '2']], delete: [] });
  await projects.commit('p', { version: '3' }, { set: [['a', '3']], delete: [] });
  for (const known of ['1', '2']) expect((await projects.read('p', [], known))?.changed).toBeUndefined();
  expect((await projects.read('p', [], '3'))?.changed).toEqual(new Map([['a', '3']]));
});
