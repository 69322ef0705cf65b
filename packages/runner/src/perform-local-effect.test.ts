import { startPrivateRedis } from '@baton/local-redis';
import { BatonError } from '@baton/protocol';
import type { TenantStore } from '@baton/store';
import { connectFixture, closeFixture, type StoreFixture } from '@baton/store/testing/store-fixture';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { performLookup } from './perform-local-effect.ts';

let fixture: StoreFixture;
let stopRedis: () => Promise<void>;
let tenant: TenantStore;
const anyone = { principal: 'p', scopes: new Set(['admin'] as const) };

beforeAll(async () => {
  const redis = await startPrivateRedis();
  stopRedis = redis.stop;
  fixture = await connectFixture(redis.url);
  tenant = (await fixture.createTenant()).store;
});
afterAll(async () => {
  await closeFixture(fixture);
  await stopRedis?.();
});

test('a tenant without agents has no primary and no specialists', async () => {
  const value = { primary: null, specialists: [] };
  expect(await performLookup(tenant, { agents: true })).toEqual({ ok: true, value });
});

test('the primary is found whole, specialists as others see them, and none that is disabled', async () => {
  const put = (id: string, enabled = true) =>
    tenant.agents.put(anyone, id, {
      definition: { id, name: `N ${id}`, instructions: `You are ${id}.`, webSearchEnabled: false },
      summary: { name: `N ${id}` },
      enabled,
    });
  await put('boss');
  await put('z_writer');
  await put('critic');
  await put('asleep', false);
  const { ok, value } = (await performLookup(tenant, { agents: true })) as { ok: true; value: object };
  expect([ok, value]).toMatchObject([
    true,
    {
      primary: { id: 'boss', instructions: 'You are boss.', isPrimary: true, enabled: true, version: 1 },
      specialists: [
        { id: 'critic', name: 'N critic', description: "Asks the agent 'N critic'." },
        { id: 'z_writer', parameters: { required: ['message'] } },
      ],
    },
  ]);
  expect(JSON.stringify((value as { specialists: object }).specialists)).not.toContain('You are');
  expect(await performLookup(tenant, { agent: 'asleep' })).toMatchObject({
    ok: true,
    value: { id: 'asleep', enabled: false, isPrimary: false, instructions: 'You are asleep.' },
  });
});

test('a prompt is found in its newest version, or in the one that is asked for while it is kept', async () => {
  for (let n = 1; n <= 7; n++)
    await tenant.prompts.put(anyone, 'ask', { definition: { name: 'ask', text: `${n}` } });
  expect(await performLookup(tenant, { prompt: 'ask' })).toMatchObject({ value: { text: '7', version: 7 } });
  expect(await performLookup(tenant, { prompt: 'ask', version: 4 })).toMatchObject({ value: { text: '4' } });
  for (const of of [{ prompt: 'ask', version: 2 }, { prompt: 'none' }] as const)
    expect(await performLookup(tenant, of)).toMatchObject({ ok: false, error: { code: 'prompt_not_found' } });
});

test('what is not there is an outcome; what may pass is thrown, so that the segment is run again', async () => {
  expect(await performLookup(tenant, { agent: 'nobody' })).toMatchObject({
    ok: false,
    error: { code: 'agent_not_found' },
  });
  expect(await performLookup(tenant, { role: 'main' })).toEqual({ ok: true, value: { routes: 1 } });
  const away = { get: () => Promise.reject(new BatonError('unavailable', 'away')) } as never;
  await expect(
    performLookup({ agents: away, prompts: away, roles: away }, { prompt: 'ask' }),
  ).rejects.toMatchObject({
    code: 'unavailable',
  });
});
