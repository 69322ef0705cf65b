import { expect, test } from 'vitest';
import { ALL_SCRIPTS } from '../testing/all-scripts.ts';
import { runEveryScript } from '../testing/every-script.ts';
import { readRedisContents } from '../testing/redis-contents.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { RESENT_SCRIPTS } from '../testing/resent-scripts.ts';

/**
 * ioredis sends a command again whose reply did not come, once its connection stands again: so each script is run a second
 * time with the same keys and arguments. What that run changes, and what it says, stands in a table.
 */
const fixture = await openFixture();

test('a script whose reply is lost, and that is sent again, does nothing twice', {
  timeout: 180_000,
}, async () => {
  const { connection, redis } = fixture;
  const seen = new Map<string, { replies: Set<string>; changes: Set<string> }>();
  const evaluate = connection.evaluate.bind(connection);
  connection.evaluate = async (script, keys, args) => {
    const name = ALL_SCRIPTS.get(script.sha)?.name ?? '';
    const first = await evaluate(script, keys, args);
    const afterFirst = await readRedisContents(redis, 'baton');
    const second = await evaluate(script, keys, args);
    const afterSecond = await readRedisContents(redis, 'baton');
    const { replies, changes } = seen.get(name) ?? { replies: new Set(), changes: new Set() };
    seen.set(name, { replies, changes });
    replies.add(compareReplies(first, second));
    for (const change of compareContents(afterFirst, afterSecond)) changes.add(change);
    // Who runs segments goes on with the fence that he was told of.
    return RESENT_SCRIPTS[name]?.goesOnWith === 'second' ? second : first;
  };
  await runEveryScript(fixture, await fixture.createTenant());

  const names = [...ALL_SCRIPTS.values()].map(({ name }) => name);
  expect([...seen.keys()].sort(), 'every script ran, and lost its reply').toEqual([...new Set(names)].sort());
  expect(Object.keys(RESENT_SCRIPTS).sort(), 'every script has a row').toEqual([...seen.keys()].sort());
  const beyond = [...seen].flatMap(([name, { replies, changes }]) => {
    const { says, changes: known } = RESENT_SCRIPTS[name]!;
    return [
      ...[...replies].filter((reply) => !says.includes(reply)).map((reply) => `${name} says: ${reply}`),
      ...[...changes]
        .filter((change) => !known.includes(change))
        .map((change) => `${name} changes: ${change}`),
    ];
  });
  expect(beyond).toEqual([]);
});

function compareReplies(first: readonly unknown[], second: readonly unknown[]): string {
  if (JSON.stringify(first) === JSON.stringify(second)) return 'same';
  const [was, now] = [first, second].map(([code]) =>
    /^[a-z_]{2,}$/.test(String(code)) ? String(code) : 'reply',
  );
  return was === now ? `other ${was}` : `${was}, then ${now}`;
}

const areSame = (some: string[], others: string[]) =>
  some.length === others.length && some.every((one) => others.includes(one));

/** The kinds of keys that differ, and in what: a field, the members or the scores of a sorted set, the time at which it ends. */
function compareContents(once: Record<string, unknown>, twice: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(once), ...Object.keys(twice)]);
  return [...keys].flatMap((key) => {
    const [was, is] = [once[key], twice[key]] as ({ value: unknown; ends: number } | undefined)[];
    // One whose time was over meanwhile was changed by no script.
    if (was !== undefined && was.ends > 0 && was.ends <= Date.now()) return [];
    const kind = kindOf(key);
    if (was === undefined || is === undefined) return [`${kind} as a whole`];
    const ends = was.ends === is.ends ? [] : [`${kind} lifetime`];
    if (JSON.stringify(was.value) === JSON.stringify(is.value)) return ends;
    if (Array.isArray(was.value) && Array.isArray(is.value)) {
      const members = (list: unknown[]) => list.filter((_, at) => at % 2 === 0).map(String);
      return [...ends, `${kind} ${areSame(members(was.value), members(is.value)) ? 'scores' : 'members'}`];
    }
    if (typeof was.value === 'string') return [...ends, `${kind} value`];
    const [before, after] = [was.value, is.value] as [Record<string, string>, Record<string, string>];
    const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [
      ...ends,
      ...[...fields].filter((field) => before[field] !== after[field]).map((field) => `${kind} ${field}`),
    ];
  });
}

function kindOf(key: string): string {
  const [, ofTenant] = /^baton:\{s\d+\}:t:[^:]+(.*)$/.exec(key) ?? [];
  if (ofTenant === undefined) return key.replace(/^baton:\{\w+\}:/, '');
  return ofTenant === '' ? 'tenant' : (ofTenant.split(':')[1] ?? '');
}
