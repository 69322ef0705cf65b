import { expect, test } from 'vitest';
import { READ_DEFINITION, READ_DEFINITIONS } from '../scripts/registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, newTask, type TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { recorder, store } = fixture;

const put = (
  tenant: TestTenant,
  id: string,
  more: { text?: string; enabled?: boolean; primary?: boolean } = {},
) =>
  tenant.store.agents.put(ANN, id, {
    definition: { id, instructions: more.text ?? 'Be brief.' },
    summary: { name: id },
    enabled: more.enabled,
    primary: more.primary,
  });

async function beginSegment(tenant: TestTenant) {
  await tenant.openTask(newTask({ waits: [], ready: true }));
  return fixture.loadSegment();
}

const reads = () => recorder.replies(READ_DEFINITION).length + recorder.replies(READ_DEFINITIONS).length;

test('segments read agents once, and each sees what was changed before it began', async () => {
  const tenant = await fixture.createTenant();
  // The first one is the primary.
  await put(tenant, 'assistant');
  await put(tenant, 'coder');
  const first = await beginSegment(tenant);
  expect((await first.agents.read('coder')).entry.enabled).toBe(true);
  expect((await first.agents.entries()).entries).toHaveLength(2);
  const before = reads();
  const second = await beginSegment(tenant);
  expect((await second.agents.read('coder')).stored.definition).toMatchObject({ instructions: 'Be brief.' });
  await second.agents.entries();
  expect(reads(), 'nothing has changed').toBe(before);

  await tenant.store.agents.changeAgent(ANN, 'coder', { enabled: false });
  expect((await (await beginSegment(tenant)).agents.read('coder')).entry.enabled).toBe(false);
  await put(tenant, 'coder', { text: 'Be long.' });
  await put(tenant, 'other', { primary: true });
  const last = await beginSegment(tenant);
  expect((await last.agents.read('coder')).stored.definition).toMatchObject({ instructions: 'Be long.' });
  expect(await last.agents.entries()).toMatchObject({ primary: 'other', entries: [{}, {}, {}] });
  await tenant.store.agents.delete(ANN, 'coder');
  await expect((await beginSegment(tenant)).agents.read('coder')).rejects.toMatchObject({
    code: 'agent_not_found',
  });
});

test('a call sees what was changed before it was admitted, and never the agents of another tenant', async () => {
  const [tenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  await put(tenant, 'coder');
  const agentsNow = async (of: TestTenant) => {
    const caller = await of.caller();
    await caller.admit(['mcp']);
    return of.store.agentsFor(caller).entries();
  };
  expect((await agentsNow(tenant)).entries).toHaveLength(1);
  expect((await agentsNow(other)).entries).toEqual([]);
  const before = reads();
  expect((await agentsNow(tenant)).entries).toHaveLength(1);
  expect(reads()).toBe(before);
  await put(tenant, 'searcher');
  expect((await agentsNow(tenant)).entries).toHaveLength(2);
  expect((await agentsNow(other)).entries).toEqual([]);
  // Another script admitted it: nothing says how new the agents must be, so they are read.
  expect(store.tenant(tenant.store.id).agentsFor(await tenant.caller())).toBe(tenant.store.agents);
});

test('agents that are too large to be kept, and reads that failed, are read again', async () => {
  const tenant = await fixture.createTenant();
  for (let n = 0; n < 6; n++) await put(tenant, `large${n}`, { text: 'x'.repeat(60_000) });
  const segment = await beginSegment(tenant);
  const readAll = () => Promise.all([0, 1, 2, 3, 4, 5].map((n) => segment.agents.read(`large${n}`)));
  await readAll();
  const before = reads();
  expect((await readAll())[5]?.stored.definition).toMatchObject({ id: 'large5' });
  expect(reads() - before).toBeGreaterThan(0);
  await expect(segment.agents.read('none')).rejects.toThrow();
  const failed = reads();
  await expect(segment.agents.read('none')).rejects.toThrow();
  expect(reads()).toBe(failed + 1);
});
