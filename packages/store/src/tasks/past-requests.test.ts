import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, llmWait, type TestTenant } from '../testing/test-tenant.ts';

/** A task that has had many interactions: their requests leave its record, and are found as before. */
const fixture = await openFixture();
const { redis } = fixture;

const requestFields = (record: Record<string, string>) =>
  Object.keys(record).filter((field) => /^[is]\d+$/.test(field)).length;

/** A task that has asked so many times, a few at once, and was answered each time but for its fifth request. */
async function taskWithPast(testTenant: TestTenant, count: number): Promise<string> {
  const taskId = await testTenant.openTask({ waits: [], ready: true });
  const answered: number[] = [];
  for (let number = 1; number <= count; number += 8) {
    const waits = Array.from({ length: 8 }, (_, at) => llmWait(`${number + at}`, `request ${number + at}`));
    await (await fixture.loadSegment()).park({ journal: [], drops: [], waits });
    for (let each = number; each < number + 8; each++) {
      if (each === 5) continue;
      await testTenant.answer(taskId, each);
      answered.push(each);
    }
  }
  return taskId;
}

test('the requests of closed interactions leave the record, the latest and the open ones stay', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await taskWithPast(testTenant, 400);
  const record = await testTenant.readRecord(taskId);
  expect(requestFields(record) / 2).toBeLessThanOrEqual(64 + 16 + 1);
  expect(record['i5'], 'it is open').toContain('request 5');
  expect(record['i399']).toContain('request 399');
  const past = testTenant.keys.past(taskId);
  expect((await redis.hlen(past)) / 2).toBeGreaterThan(300);
  expect(Math.abs((await redis.pttl(past)) - (await redis.pttl(testTenant.keys.task(taskId))))).toBeLessThan(
    5_000,
  );
});

test('they are listed, filtered and shown like any other', async () => {
  const testTenant = await fixture.createTenant();
  const { queries } = testTenant.store;
  const taskId = await taskWithPast(testTenant, 240);
  expect(requestFields(await testTenant.readRecord(taskId))).toBeLessThan(200);
  const early = formatInteractionId(taskId, 1);
  expect(await queries.interaction(ANN, early)).toMatchObject({
    status: 'answered',
    request: { call: { role: 'main' } },
  });
  expect((await queries.inspect(ANN, taskId)).interactions).toHaveLength(240);
  const listed: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const from = cursor === '' ? {} : { cursor };
    const page = await queries.history.records(AGENT, { status: 'answered', role: 'main', ...from });
    listed.push(...page.items.map(({ interactionId }) => interactionId));
    cursor = page.nextCursor;
  }
  expect(new Set(listed).size).toBe(239);
  expect((await queries.history.records(AGENT, { status: 'answered', role: 'fallback' })).items).toEqual([]);
  // What is asked of it is answered as before.
  await expect(testTenant.answer(taskId, 1)).resolves.toMatchObject({ replayed: true });
  await expect(testTenant.answer(taskId, 1, { text: '"other"' })).rejects.toMatchObject({
    code: 'interaction_already_answered',
  });
});
