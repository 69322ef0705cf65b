import { afterAll, expect, test } from 'vitest';
import { Store } from '../store.ts';
import { closeFixture, openFixture } from '../testing/store-fixture.ts';

const OLD = 'the secret of before';
const NEW = 'the secret of today';

const fixture = await openFixture({ secret: OLD });
const { redis } = fixture;
afterAll(() => closeFixture(fixture));

let prefixes = 0;
/** A deployment in which nothing has started; `start` starts a process and ends it, `recorded` is what Redis has of secrets. */
function newDeployment() {
  const prefix = `deployment-${prefixes++}`;
  const key = `${prefix}:{ops}:topology`;
  const start = async ([secret = '', ...previousSecrets]: string[], more: { anySecret?: boolean } = {}) => {
    const options = { url: fixture.url, replica: 'one', prefix, secret, previousSecrets, ...more };
    try {
      await (await Store.open(options)).close();
      return 'started';
    } catch (error) {
      return error as Error & { exitCode?: number };
    }
  };
  return { key, start, recorded: () => redis.hget(key, 'secrets') };
}

test('a process with another secret never starts: it is a setting that is wrong, and no secret is stored or said', async () => {
  const { key, start, recorded } = newDeployment();
  expect(await start([OLD])).toBe('started');
  const before = await recorded();
  const refused = await start([NEW]);
  expect(refused).toMatchObject({ exitCode: 78, message: expect.stringMatching(/^BATON_SECRET is not/) });
  expect(await start([NEW, 'a third one, known to nobody'])).toMatchObject({ exitCode: 78 });
  expect([await recorded(), await start([OLD])]).toEqual([before, 'started']);
  const said = `${JSON.stringify(await redis.hgetall(key))} ${(refused as Error).message}`;
  for (const secret of [OLD, NEW]) expect(said).not.toContain(secret);
});

test.each([
  ['each step after the other', [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]],
  [
    'a process of the step before that starts again',
    [[OLD], [OLD, NEW], [OLD], [NEW, OLD], [OLD, NEW], [NEW, OLD], [NEW], [NEW, OLD], [NEW]],
  ],
  ['a process of step 1 that started last, and went', [[OLD], [OLD, NEW], [NEW, OLD], [OLD, NEW], [NEW]]],
  ['a step back', [[OLD, NEW], [NEW, OLD], [OLD, NEW], [OLD]]],
  [
    'two changes, one after the other',
    [[OLD, NEW], [NEW, OLD], [NEW, 'a third secret', OLD], ['a third secret', NEW], ['a third secret']],
  ],
])('a change of the secret refuses no start: %s', async (_claim, starts) => {
  const { start } = newDeployment();
  for (const secrets of starts) expect(await start(secrets), secrets.join(', ')).toBe('started');
});

test('when the change is over, the former secret is refused', async () => {
  const { start } = newDeployment();
  for (const secrets of [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]) await start(secrets);
  expect(await start([OLD])).toMatchObject({ exitCode: 78 });
});

test('where nothing is recorded, as by a release before, the first start records its own', async () => {
  const { key, start, recorded } = newDeployment();
  await start([OLD]);
  const before = await recorded();
  await redis.hdel(key, 'secrets');
  const [one, other] = await Promise.all([start([OLD]), start([NEW])]);
  expect([one, other].filter((how) => how === 'started')).toHaveLength(1);
  await redis.hdel(key, 'secrets');
  expect([await start([OLD]), await recorded()]).toEqual(['started', before]);
});

test('a Baton on one machine starts with any secret, and never takes the place of that which is recorded', async () => {
  const { start, recorded } = newDeployment();
  await start([OLD]);
  const before = await recorded();
  expect(await start([NEW], { anySecret: true })).toBe('started');
  expect([await recorded(), await start([OLD])]).toEqual([before, 'started']);
});
