import { startPrivateRedis } from '@baton/local-redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { mutateScript, type Mutation } from '../testing/script-mutation.ts';
import { closeFixture, connectFixture, type StoreFixture } from '../testing/store-fixture.ts';
import { ANN, type TestTenant } from '../testing/test-tenant.ts';
import { CHANGE_AGENT, DELETE_DEFINITION, PUT_DEFINITION } from './registry.ts';
import { runScript } from './script.ts';

let fixture: StoreFixture;
let stopRedis: () => Promise<void>;
beforeAll(async () => {
  const { url, stop } = await startPrivateRedis();
  stopRedis = stop;
  fixture = await connectFixture(url);
});
afterAll(async () => {
  await closeFixture(fixture);
  await stopRedis?.();
});

const SCRIPTS = { put: PUT_DEFINITION, change: CHANGE_AGENT, delete: DELETE_DEFINITION };
type Scripts = typeof SCRIPTS;
type Call = readonly ['put' | 'change' | 'delete', string, { enabled?: string; primary?: string }?];

/** Runs calls one after the other: what each says. */
async function run(
  tenant: TestTenant,
  calls: readonly Call[],
  scripts: Scripts = SCRIPTS,
): Promise<string[]> {
  const said: string[] = [];
  for (const [what, name, { enabled = '', primary = '' } = {}] of calls) {
    const { keys } = tenant;
    const own = {
      credential: credentialOf(ANN, keys),
      definitions: keys.agents,
      definition: keys.agent(name),
    };
    const args = {
      ...admissionRecheckArgs(ANN),
      kind: 'agent',
      limit: 'agents',
      name,
      definition: `{"id":"${name}"}`,
      summary: '{}',
      enabled,
      primary,
      revision: '',
      public: '',
      by: '"ann"',
      kept: 5,
      expected: '',
      dryRun: '',
    };
    const reply = await runScript({ connection: fixture.connection, keys }, scripts[what], own, args);
    said.push(reply.map(String).join(' '));
  }
  return said;
}

/** The primary, whether it is there, and whether it is enabled. */
async function primaryOf({ store }: TestTenant) {
  const { entries, primary } = await store.agents.entries();
  const found = entries.find(({ name }) => name === primary);
  return { primary, isThere: found !== undefined, isEnabled: found?.enabled === true };
}

const TWO: readonly Call[] = [
  ['put', 'first'],
  ['put', 'second'],
];

test('the first agent is the primary; another takes its place in one step; none is lost', async () => {
  const tenant = await fixture.createTenant();
  for (const reply of await run(tenant, TWO)) expect(reply).toMatch(/^stored 1 /);
  expect(await primaryOf(tenant)).toEqual({ primary: 'first', isThere: true, isEnabled: true });
  expect(await run(tenant, [['change', 'second', { primary: '1' }]])).toEqual(['changed']);
  expect(await run(tenant, [['delete', 'first']])).toEqual(['deleted']);
  expect(await primaryOf(tenant)).toEqual({ primary: 'second', isThere: true, isEnabled: true });
});

/** What would leave a tenant without a primary that is there and enabled, and what of the scripts keeps it from it. */
const ATTEMPTS: readonly (readonly [string, readonly Call[], string, keyof Scripts, Mutation])[] = [
  [
    'the primary is deleted',
    [['delete', 'first']],
    'agent_is_primary deleted',
    'delete',
    [
      "if A_kind == 'agent' and primary_agent() == A_name then return {'agent_is_primary', 'deleted'} end",
      '',
    ],
  ],
  [
    'the primary is disabled',
    [['change', 'first', { enabled: '0' }]],
    'agent_is_primary disabled',
    'change',
    [
      "if is_primary and not enabled then return {'agent_is_primary', was_primary and 'disabled' or 'promoted'} end",
      '',
    ],
  ],
  [
    'the primary is stored as disabled',
    [['put', 'first', { enabled: '0' }]],
    'agent_is_primary disabled',
    'put',
    [
      "if is_primary and not entry.enabled then return {'agent_is_primary', was_primary and 'disabled' or 'promoted'} end",
      '',
    ],
  ],
  [
    'a disabled agent becomes the primary',
    [
      ['change', 'second', { enabled: '0' }],
      ['change', 'second', { primary: '1' }],
    ],
    'agent_is_primary promoted',
    'change',
    [
      "if is_primary and not enabled then return {'agent_is_primary', was_primary and 'disabled' or 'promoted'} end",
      '',
    ],
  ],
];

test.each(ATTEMPTS)(
  '%s: refused, and a script that does not refuse it is seen',
  async (_what, calls, said, of, cut) => {
    const tenant = await fixture.createTenant();
    await run(tenant, TWO);
    expect((await run(tenant, calls)).at(-1)).toBe(said);
    expect(await primaryOf(tenant)).toEqual({ primary: 'first', isThere: true, isEnabled: true });

    const mutants = { ...SCRIPTS, [of]: mutateScript(SCRIPTS[of], cut) } as Scripts;
    await run(tenant, calls, mutants);
    const { isThere, isEnabled } = await primaryOf(tenant);
    expect(isThere && isEnabled).toBe(false);
  },
);

test('what an agent was checked against is refused once others have changed', async () => {
  const { store } = await fixture.createTenant();
  const { revision } = await store.agents.entries();
  const put = (id: string) =>
    store.agents.put(ANN, id, { definition: { id }, summary: { name: id }, revision });
  expect(await put('first')).toMatchObject({ version: 1 });
  await expect(put('second')).rejects.toMatchObject({ code: 'agents_conflict' });
  expect(await put('first'), 'the same again, whose reply was lost').toMatchObject({ version: 1 });
});
