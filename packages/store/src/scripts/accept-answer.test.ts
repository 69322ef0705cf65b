import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { refusalError } from '../records/refusal-error.ts';
import { ACCEPT_ANSWER } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, llmWait, errorCode, sleepWait } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

test('an accepted answer is in the journal, its interaction is answered, and its task is ready', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  expect(await testTenant.answer(taskId, 1, { text: '{"n":1}' })).toMatchObject({
    replayed: false,
    event: 1,
    taskId,
  });
  const record = await testTenant.readRecord(taskId);
  expect(record).toMatchObject({ 'j:0': 'llm+{"n":1}', st: 'working', open: '', ev: '1' });
  expect(record['g1']).toMatch(/^[^;]+;\d+;ann;\d+;;;;$/);
  expect(await redis.zcard(testTenant.keys.pending)).toBe(0);
  expect(await testTenant.queueState(taskId)).toBe('ready');
});

test('the same answer again is confirmed and changes nothing; another one is refused and changes nothing', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId, 1, { text: '"a"' });
  const before = await fixture.contents();
  const as = testTenant.store.operatorCaller();
  expect(await testTenant.answer(taskId, 1, { text: '"a"', as })).toMatchObject({ replayed: true, event: 1 });
  expect(await errorCode(testTenant.answer(taskId, 1, { text: '"b"', as }))).toBe(
    'interaction_already_answered',
  );
  expect(await fixture.contents()).toEqual(before);
});

test('an answer is confirmed and refused in the same way after its task has ended', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId, 1, { text: '"a"' });
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  expect(await testTenant.answer(taskId, 1, { text: '"a"' })).toMatchObject({ replayed: true });
  expect(await errorCode(testTenant.answer(taskId, 1, { text: '"b"' }))).toBe('interaction_already_answered');
});

test('of many answers at once exactly one is accepted', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const texts = Array.from({ length: 20 }, (_, at) => JSON.stringify(`answer ${at % 5}`));
  const codes = await Promise.all(
    texts.map((text) =>
      testTenant.answer(taskId, 1, { text }).then(
        (reply) => (reply.replayed ? 'replayed' : 'accepted'),
        (error) => error.code,
      ),
    ),
  );
  expect(codes.filter((code) => code === 'accepted')).toHaveLength(1);
  expect(codes.filter((code) => code === 'replayed')).toHaveLength(3);
  expect(codes.filter((code) => code === 'interaction_already_answered')).toHaveLength(16);
  expect((await testTenant.readRecord(taskId))['ev']).toBe('1');
});

test('Redis decides the deadline by its own clock, before any sweep', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.withLifetimes({ interaction: 1 }).openTask();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const before = await fixture.contents();
  const as = testTenant.store.operatorCaller();
  expect(await errorCode(testTenant.answer(taskId, 1, { as }))).toBe('interaction_expired');
  expect(await fixture.contents()).toEqual(before);
  await fixture.sweep();
  expect(await errorCode(testTenant.answer(taskId, 1, { as }))).toBe('interaction_expired');
});

test('no interaction outlives its task: an answer that the task could not use is refused', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.withLifetimes({ interaction: 3_600_000, task: 1 }).openTask();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await errorCode(testTenant.answer(taskId))).toBe('interaction_expired');
});

test('an answer to what was cancelled is refused, be it the task or the one interaction', async () => {
  const testTenant = await fixture.createTenant();
  const whole = await testTenant.openTask();
  await testTenant.tasks.cancel(ANN, whole);
  expect(await errorCode(testTenant.answer(whole))).toBe('interaction_cancelled');
  const part = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await testTenant.interactions.cancel(ANN, formatInteractionId(part, 1));
  expect(await errorCode(testTenant.answer(part, 1))).toBe('interaction_cancelled');
  expect(await errorCode(testTenant.answer(part, 2))).toBe('done');
});

test("another principal's and another tenant's interaction is answered byte for byte as one that never existed", async () => {
  const [testTenant, stranger] = [await fixture.createTenant(), await fixture.createTenant()];
  const taskId = await testTenant.openTask();
  const absent = `${taskId.slice(0, 7)}${taskId[7] === '0' ? '1' : '0'}${taskId.slice(8)}`;
  const attempts = [
    [testTenant, taskId, 1],
    [testTenant, absent, 1],
    [testTenant, taskId, 9],
    [stranger, taskId, 1],
  ] as const;
  const received = [];
  for (const [who, id, number] of attempts) {
    const error = await who
      .answer(id, number, { as: await who.caller('bob') })
      .catch((thrown: unknown) => thrown);
    received.push([
      recorder.last(ACCEPT_ANSWER),
      JSON.stringify(error).replaceAll(formatInteractionId(id, number), 'ID'),
    ]);
  }
  expect(received[0]).toEqual(received[1]);
  expect(received[2]).toEqual(received[1]);
  expect(received[3]).toEqual(received[1]);
  expect((await testTenant.readRecord(taskId))['st']).toBe('input_required');
});

test('the scope agent answers what others of its tenant started, and nothing of another tenant', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const taskId = await testTenant.openTask();
  const foreign = await other.caller('agent-7', ['agent']);
  expect(await errorCode(other.answer(taskId, 1, { as: foreign }))).toBe('interaction_not_found');
  await testTenant.answer(taskId, 1, { as: await testTenant.caller('agent-7', ['agent']) });
  expect(await testTenant.store.queries.interaction(AGENT, formatInteractionId(taskId, 1))).toMatchObject({
    status: 'answered',
    answeredBy: 'agent-7',
    principal: 'ann',
  });
});

test('an answer over the limit is refused, and the interaction stays pending', async () => {
  const testTenant = await fixture.createTenant({ answerBytes: 10 });
  const taskId = await testTenant.openTask();
  expect(await errorCode(testTenant.answer(taskId, 1, { text: '"12345678é"' }))).toBe('limit_size');
  expect(recorder.last(ACCEPT_ANSWER)).toEqual(['limit_size', 'answerBytes', 12, '10']);
  expect(await errorCode(testTenant.answer(taskId, 1, { text: '"12345678"' }))).toBe('done');
});

test('while a segment runs, an answer leaves the task to it and is not among the ready', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await testTenant.answer(taskId, 1);
  const segment = await fixture.loadSegment();
  await testTenant.answer(taskId, 2);
  expect(recorder.last(ACCEPT_ANSWER)).toEqual([
    'accepted',
    2,
    '',
    '',
    ANN.principal,
    expect.any(Number),
    '',
  ]);
  expect(await testTenant.queueState(taskId)).toBe('batch');
  expect(await segment.park({ journal: [], drops: [], waits: [] })).toBe('again');
  const again = await fixture.shard.reload(segment);
  expect([...again!.task.journal.keys()].sort()).toEqual(['0', '1']);
  await again!.settle({ status: 'completed', result: {} });
});

test('a sleep of the same task cannot be answered', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [sleepWait('0', 60_000), llmWait('1')] });
  expect(await errorCode(testTenant.answer(taskId, 2))).toBe('interaction_not_found');
  expect(
    await errorCode(
      testTenant.interactions.accept(await testTenant.caller(), {
        interactionId: taskId,
        text: '1',
        fingerprint: 'f',
        channel: '',
      }),
    ),
  ).toBe('interaction_not_found');
});

test('an answer that was not held against the chunks of its stream is not accepted yet, and costs nothing more', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const interactionId = formatInteractionId(taskId, 1);
  await testTenant.interactions.appendChunk(await testTenant.caller(), {
    interactionId,
    sequence: 0,
    delta: 'x',
  });
  const caller = await testTenant.caller();
  const posted = { interactionId, text: '"x"', fingerprint: 'f', channel: '' };
  expect(await testTenant.interactions.accept(caller, { ...posted, checked: '' })).toBe('streamed');
  expect(recorder.last(ACCEPT_ANSWER)).toEqual(['streamed', 'ann', ' mcp ']);
  const { state } = await testTenant.interactions.joinChunks(interactionId);
  const tokens = await redis.hget(testTenant.keys.tenant, 'tokens');
  expect(await testTenant.interactions.accept(caller, { ...posted, checked: state })).toMatchObject({
    event: 1,
  });
  expect(await redis.hget(testTenant.keys.tenant, 'tokens')).toBe(tokens);
});

test('every code of ACCEPT_ANSWER was reached, and each has a message', () => {
  const admission = ['insufficient_scope', 'limit_rate', 'tenant_suspended', 'unauthenticated'];
  const own = documentedReplyCodes(ACCEPT_ANSWER).filter((code) => !admission.includes(code));
  expect(recorder.codes(ACCEPT_ANSWER)).toEqual(own);
  const subject = { interactionId: 'i-1', taskId: 't-1' };
  for (const code of documentedReplyCodes(ACCEPT_ANSWER).filter(
    (one) => one !== 'accepted' && one !== 'replayed',
  )) {
    const { message } = refusalError([code, 'limit', 1, 2], subject);
    expect(message, code).not.toContain('undefined');
  }
});
