import { formatInteractionId } from '@baton/protocol';
import { expect, test, vi } from 'vitest';
import { ACCEPT_ANSWER } from '../scripts/registry.ts';
import { mutateScript } from '../testing/script-mutation.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, errorCode, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import type { UsageRow } from './usage-days.ts';
import { utcDay } from './utc-day.ts';

const fixture = await openFixture();
const USED = { inputTokens: 30, outputTokens: 7, model: 'swift' };

/** What the tenant's days have, without days and times. Yesterday's too, should it be midnight. */
async function rowsOf(testTenant: TestTenant): Promise<Omit<UsageRow, 'day' | 'durationMs'>[]> {
  const rows: UsageRow[] = [];
  const days = [utcDay(Date.now() - 86_400_000), utcDay(Date.now())];
  for await (const some of testTenant.store.usageDays.read(days)) rows.push(...some);
  return rows.map(({ day: _, durationMs: _time, ...row }) => row);
}

function waitFor(path: string, call: object) {
  const wait = llmWait(path);
  if (wait.kind === 'sleep') throw new Error('no LLM request');
  return { ...wait, request: { ...wait.request, call: { ...wait.request.call, ...call } } } as typeof wait;
}

test('an answer counts for its interaction, its task, and its day by operation, agent and model', async () => {
  const testTenant = await fixture.createTenant();
  const waits = [waitFor('0', { agentId: 'scout', answerWithinMs: 30_000 }), llmWait('1'), llmWait('2')];
  const taskId = await testTenant.openTask({ waits });
  await testTenant.answer(taskId, 1, { usage: USED });
  await testTenant.answer(taskId, 2, { usage: USED });
  await testTenant.answer(taskId, 3, { usage: { failed: true } });
  const { usage } = await testTenant.tasks.read(ANN, taskId);
  expect(usage).toMatchObject({ calls: 3, failedCalls: 1, inputTokens: 60, outputTokens: 14 });
  const { interactions, usage: inspected } = await testTenant.store.queries.inspect(ANN, taskId);
  expect(inspected).toEqual(usage);
  const known = interactions.map((one) => one.usage);
  expect(known).toMatchObject([USED, USED, { failed: true, durationMs: expect.any(Number) }]);
  expect(known[2]).not.toHaveProperty('inputTokens');
  expect(known.reduce((sum, one) => sum + (one?.durationMs ?? 0), 0)).toBe(usage?.durationMs);
  expect(interactions[0]).toMatchObject({ request: { call: { agentId: 'scout', attempt: 1 } } });
  expect(known[0]).not.toHaveProperty('failed');
  const row = {
    operation: 'echo',
    calls: 1,
    failedCalls: 0,
    inputTokens: 30,
    outputTokens: 7,
    model: 'swift',
  };
  expect((await rowsOf(testTenant)).toSorted((a, b) => b.agent.localeCompare(a.agent))).toEqual([
    { ...row, agent: 'scout' },
    { ...row, agent: '' },
    { ...row, agent: '', model: '', failedCalls: 1, inputTokens: 0, outputTokens: 0 },
  ]);
  expect(await fixture.redis.pttl(testTenant.keys.usage(utcDay(Date.now())))).toBeGreaterThan(
    399 * 86_400_000,
  );
});

async function countOfDuplicates(testTenant: TestTenant): Promise<number> {
  const taskId = await testTenant.openTask();
  const caller = () => testTenant.caller();
  const callers = await Promise.all(Array.from({ length: 16 }, caller));
  await Promise.all(
    callers.map((as) => testTenant.answer(taskId, 1, { usage: USED, as }).catch(() => undefined)),
  );
  const { usage } = await testTenant.tasks.read(ANN, taskId);
  const [row] = await rowsOf(testTenant);
  expect(row?.calls).toBe(usage?.calls);
  return usage?.calls ?? 0;
}

test('an answer that comes many times at once, and one that is refused, counts once', async () => {
  const testTenant = await fixture.createTenant();
  expect(await countOfDuplicates(testTenant)).toBe(1);
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId, 1, { usage: USED });
  expect(await errorCode(testTenant.answer(taskId, 1, { text: '"other"', usage: USED }))).toBe(
    'interaction_already_answered',
  );
  expect((await testTenant.tasks.read(ANN, taskId)).usage?.calls).toBe(1);
});

test('without the check for an answer that was taken before, duplicates count (a mutation)', async () => {
  const mutant = mutateScript(
    ACCEPT_ANSWER,
    ["return {'replayed', events or '0', principal}", 'answered = false'],
    ['table.remove(waits, place)', 'if place then table.remove(waits, place) end'],
    [
      "if not wait then return {'interaction_not_found'} end",
      "wait = wait or {due = now + 1, kind = 'llm', path = '0'}",
    ],
  );
  const { connection } = fixture;
  const evaluate = connection.evaluate.bind(connection);
  const spy = vi
    .spyOn(connection, 'evaluate')
    .mockImplementation((script, keys, args) =>
      evaluate(script.sha === ACCEPT_ANSWER.sha ? mutant : script, keys, args),
    );
  expect(await countOfDuplicates(await fixture.createTenant())).toBeGreaterThan(1);
  spy.mockRestore();
});

test('a question to a person is no call', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [waitFor('0', { role: 'person' }), llmWait('1')] });
  await testTenant.answer(taskId, 1, { usage: USED });
  expect((await testTenant.tasks.read(ANN, taskId)).usage).toBeUndefined();
  await testTenant.answer(taskId, 2, { usage: USED });
  expect((await testTenant.tasks.read(ANN, taskId)).usage).toMatchObject({ calls: 1, inputTokens: 30 });
  const first = await testTenant.store.queries.interaction(ANN, formatInteractionId(taskId, 1));
  expect(first).toMatchObject({ status: 'answered', answeredBy: 'ann' });
  expect(first.usage).toBeUndefined();
});

test('models and agents that somebody makes up fill no day, and its sums stay right', async () => {
  const testTenant = await fixture.createTenant();
  const answers = 300;
  for (let from = 0; from < answers; from += 50) {
    const numbers = Array.from({ length: 50 }, (_, at) => at + 1);
    const agents = numbers.map((number) => waitFor(String(number), { agentId: `agent-${from + number}` }));
    const taskId = await testTenant.openTask({ waits: agents });
    await Promise.all(
      numbers.map((number) =>
        testTenant.answer(taskId, number, { usage: { ...USED, model: `model ${from + number}; of mine` } }),
      ),
    );
  }
  const rows = await rowsOf(testTenant);
  expect(rows.length).toBe(257);
  expect(rows.filter(({ model }) => model !== 'other')).toHaveLength(128);
  expect(rows.find(({ agent }) => agent === 'other')).toMatchObject({ model: 'other', calls: 44 });
  expect(rows.reduce((sum, row) => sum + row.inputTokens, 0)).toBe(answers * USED.inputTokens);
  expect(rows.some(({ model }) => / \d+; of mine$/.test(model))).toBe(true);
});
