import { expect, test } from 'vitest';
import { countedStorage } from '../testing/measured-storage.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { llmWait, type TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;

test('what is counted is near what Redis needs for it, for small and large tasks and projects', async () => {
  const used = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  const ratio = async (fill: (tenant: TestTenant, n: number) => Promise<unknown>, count: number) => {
    await redis.flushall();
    const tenant = await fixture.createTenant({ pendingInteractions: 100_000, projects: 100_000 });
    await fill(tenant, 0);
    const [before, counted] = [await used(), (await countedStorage(redis, tenant.keys)).stored];
    for (let n = 1; n <= count; n++) await fill(tenant, n);
    return ((await used()) - before) / ((await countedStorage(redis, tenant.keys)).stored - counted);
  };
  const task = (bytes: number) => (tenant: TestTenant) =>
    tenant.openTask({ waits: [llmWait('0', 'x'.repeat(bytes))] }, tenant.store.operatorCaller());
  const project = (fields: number, bytes: number) => (tenant: TestTenant, n: number) =>
    tenant.store.projects.commit(`p${n}`, undefined, {
      set: Array.from({ length: fields }, (_, at) => [`task:${at}:master`, 'x'.repeat(bytes)] as const),
      delete: [],
    });
  const ratios = {
    smallTask: await ratio(task(10), 500),
    largeTask: await ratio(task(60_000), 100),
    smallProject: await ratio(project(3, 100), 300),
    largeProject: await ratio(project(500, 300), 10),
    manyFields: await ratio(project(3_000, 10), 5),
  };
  for (const [kind, each] of Object.entries(ratios)) {
    expect(each, `${kind}: ${JSON.stringify(ratios)}`).toBeGreaterThan(0.5);
    expect(each, `${kind}: ${JSON.stringify(ratios)}`).toBeLessThan(1.5);
  }
});
