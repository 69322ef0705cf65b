import { formatInteractionId, type Message } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { END_TURN } from '../scripts/registry.ts';
import { taskRef } from '../records/keys.ts';
import { endedTurn, openTurn, QUESTION, REPLY, turnWait } from '../testing/conversation-steps.ts';
import { openFixture } from '../testing/store-fixture.ts';
import {
  AGENT,
  ANN,
  BOB,
  errorCode,
  llmWait,
  newTask,
  sleepWait,
  type TestTenant,
} from '../testing/test-tenant.ts';

/** The turns of conversations: one at a time, in order, each written once. */
const fixture = await openFixture();

/** A conversation of ann's with one turn, which has ended. */
async function begin(tenant: TestTenant, messages: readonly Message[] = [QUESTION, REPLY]): Promise<string> {
  const id = await openTurn(tenant);
  const segment = await fixture.loadSegment();
  expect(await segment.turn.end(id, endedTurn(messages))).toBe('ended');
  await segment.settle({ status: 'completed', result: {} });
  return id;
}

async function turnOf(tenant: TestTenant, caller?: Parameters<TestTenant['openTask']>[1]) {
  const id = await tenant.openTask(newTask({ operation: 'ask_assistant', waits: [], ready: true }), caller);
  const segment = await fixture.loadSegment();
  expect(segment.taskId).toBe(id);
  return segment;
}

test('a turn is given to one task at a time, in the order in which they came', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const [one, two, three] = [await turnOf(tenant), await turnOf(tenant), await turnOf(tenant)];
  expect(await one.turn.begin(conversation)).toEqual({ waits: false, from: 0, to: 2 });
  expect(await two.turn.begin(conversation)).toEqual({ waits: true });
  expect(await three.turn.begin(conversation)).toEqual({ waits: true });
  expect(await one.turn.begin(conversation)).toEqual({ waits: false, from: 0, to: 2 });
  await one.turn.end(conversation, endedTurn());
  expect(await three.turn.begin(conversation)).toEqual({ waits: true });
  expect(await two.turn.begin(conversation)).toEqual({ waits: false, from: 0, to: 4 });
  await two.turn.end(conversation, endedTurn([]));
  expect(await three.turn.begin(conversation)).toEqual({ waits: false, from: 0, to: 4 });
});

test('a task that ended without leaving lets the next in; one whose fence moved writes nothing', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const [one, two] = [await turnOf(tenant), await turnOf(tenant)];
  await one.turn.begin(conversation);
  expect(await two.turn.begin(conversation)).toEqual({ waits: true });
  await tenant.tasks.cancel(ANN, one.taskId);
  expect(await two.turn.begin(conversation)).toMatchObject({ waits: false });
  expect(await one.turn.begin(conversation)).toBe('stale');
  expect(await one.turn.end(conversation, endedTurn())).toBe('stale');
  expect((await tenant.store.conversations.read(ANN, conversation)).summary.messages).toBe(2);
});

test('the next one that sleeps is woken by the end of a turn', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const [one, two] = [await turnOf(tenant), await turnOf(tenant)];
  await one.turn.begin(conversation);
  await two.turn.begin(conversation);
  await two.park({ journal: [], drops: [], waits: [sleepWait('1', 3_600_000)] });
  expect(await tenant.queueState(two.taskId)).toBeUndefined();
  await one.turn.end(conversation, endedTurn());
  expect(await tenant.queueState(two.taskId)).toBe('ready');
  const woken = await fixture.loadSegment();
  expect(woken.task.journal.get('1')).toBe('sleep+null');
});

test('a message to a conversation whose first turn goes on waits for it', async () => {
  const tenant = await fixture.createTenant();
  const first = await turnOf(tenant);
  const second = await turnOf(tenant);
  expect(await second.turn.begin(first.taskId)).toEqual({ waits: true });
  await first.turn.end(first.taskId, endedTurn());
  expect(await second.turn.begin(first.taskId)).toEqual({ waits: false, from: 0, to: 2 });
});

test('messages to a conversation whose first turn goes on wait in the order in which they came, sixteen with it', async () => {
  const tenant = await fixture.createTenant();
  const first = await turnOf(tenant);
  const queued = [];
  for (let at = 0; at < 15; at++) {
    const segment = await turnOf(tenant);
    expect(await segment.turn.begin(first.taskId)).toEqual({ waits: true });
    queued.push(segment);
  }
  expect(await errorCode((await turnOf(tenant)).turn.begin(first.taskId))).toBe('limit_pending');
  const [second, third] = queued;
  await second!.park({ journal: [], drops: [], waits: [sleepWait('1', 3_600_000)] });
  await first.turn.end(first.taskId, endedTurn());
  expect(await tenant.queueState(second!.taskId), 'woken').toBe('ready');
  expect(await third!.turn.begin(first.taskId)).toEqual({ waits: true });
  const woken = await fixture.loadSegment();
  expect(await woken.turn.begin(first.taskId)).toEqual({ waits: false, from: 0, to: 2 });
});

test.each(['failed', 'cancelled'])(
  'of a first turn that %s, the next is woken and told, and the next after it',
  async (end) => {
    const tenant = await fixture.createTenant();
    const first = await turnOf(tenant);
    const input = { conversationId: first.taskId };
    const opened = newTask({ operation: 'ask_assistant', waits: [], ready: true, input });
    const waiting: string[] = [];
    for (let at = 0; at < 2; at++) {
      waiting.push(await tenant.openTask(opened));
      const segment = await fixture.loadSegment();
      expect(await segment.turn.begin(first.taskId)).toEqual({ waits: true });
      await segment.park({ journal: [], drops: [], waits: [sleepWait('1', 3_600_000)] });
    }
    if (end === 'cancelled') await tenant.tasks.cancel(ANN, first.taskId);
    else await first.settle({ status: 'failed', error: { code: 'agent_error', message: 'x' } });
    for (const taskId of waiting) {
      expect(await tenant.queueState(taskId)).toBe('ready');
      const woken = await fixture.loadSegment();
      expect(woken.taskId).toBe(taskId);
      expect(await errorCode(woken.turn.begin(first.taskId))).toBe('conversation_not_found');
      await woken.settle({ status: 'failed', error: { code: 'conversation_not_found', message: 'x' } });
    }
  },
);

test('the queue of a conversation that has not begun expires', async () => {
  const tenant = await fixture.createTenant();
  const first = await turnOf(tenant);
  await (await turnOf(tenant)).turn.begin(first.taskId);
  const key = tenant.keys.conversation(first.taskId);
  expect(await fixture.redis.pttl(key)).toBeGreaterThan(0);
  expect((await tenant.store.conversations.page(ANN)).items).toEqual([]);
  expect(await errorCode(tenant.store.conversations.read(ANN, first.taskId))).toBe('conversation_not_found');
  await first.turn.end(first.taskId, endedTurn());
  expect(await fixture.redis.pttl(key)).toBeGreaterThan(300_000);
});

test("another principal's conversation, a task that is none and an unknown id are not found", async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const bobs = await turnOf(tenant, await tenant.caller('bob'));
  expect(await errorCode(bobs.turn.begin(conversation))).toBe('conversation_not_found');
  const own = await turnOf(tenant);
  const echo = await tenant.openTask();
  expect(await errorCode(own.turn.begin(echo))).toBe('conversation_not_found');
  expect(await errorCode(own.turn.begin(conversation.replace(/./g, '0')))).toBe('conversation_not_found');
  const { conversations } = tenant.store;
  expect(await errorCode(conversations.read(BOB, conversation))).toBe('conversation_not_found');
  expect(await errorCode(conversations.delete(BOB, conversation))).toBe('conversation_not_found');
  expect((await conversations.page(BOB)).items).toEqual([]);
  expect((await conversations.page(AGENT)).items).toHaveLength(1);
});

test('tasks of a full queue that were cancelled leave it, wherever they stand', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const queued = [];
  for (let at = 0; at < 16; at++) {
    const segment = await turnOf(tenant);
    await segment.turn.begin(conversation);
    queued.push(segment);
  }
  for (const { taskId } of queued.slice(1)) await tenant.tasks.cancel(ANN, taskId);
  const next = await turnOf(tenant);
  expect(await next.turn.begin(conversation)).toEqual({ waits: true });
  await tenant.tasks.cancel(ANN, queued[0]!.taskId);
  expect(await next.turn.begin(conversation)).toMatchObject({ waits: false });
});

test('the next one that sleeps is woken when the turn is cancelled', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const opened = newTask({
    operation: 'ask_assistant',
    waits: [],
    ready: true,
    input: { conversationId: conversation },
  });
  const segments = [];
  for (let at = 0; at < 3; at++) {
    await tenant.openTask(opened);
    segments.push(await fixture.loadSegment());
  }
  const [one, two, three] = segments;
  await one!.turn.begin(conversation);
  for (const segment of [two!, three!]) {
    await segment.turn.begin(conversation);
    await segment.park({ journal: [], drops: [], waits: [sleepWait('1', 3_600_000)] });
  }
  await tenant.tasks.cancel(ANN, two!.taskId);
  await tenant.tasks.cancel(ANN, one!.taskId);
  expect(await tenant.queueState(three!.taskId)).toBe('ready');
});

test('a queue takes sixteen tasks', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  for (let at = 0; at < 16; at++) await (await turnOf(tenant)).turn.begin(conversation);
  expect(await errorCode((await turnOf(tenant)).turn.begin(conversation))).toBe('limit_pending');
});

describe('the end of a turn', () => {
  test('is written once, with the journal', async () => {
    const tenant = await fixture.createTenant();
    const segment = await turnOf(tenant);
    expect(await segment.turn.end(segment.taskId, endedTurn())).toBe('ended');
    expect(await segment.turn.end(segment.taskId, endedTurn())).toEqual({ journaled: 'append+{}' });
    const { summary, messages } = await tenant.store.conversations.read(ANN, segment.taskId);
    expect(messages).toEqual([QUESTION, REPLY]);
    expect(summary).toMatchObject({ turns: 1, messages: 2, title: 'How are you?', principal: 'ann' });
    const record = await tenant.readRecord(segment.taskId);
    expect(Object.values(record)).toEqual(expect.arrayContaining(['append+{}', 'read+1']));
  });

  test('of a conversation that was deleted meanwhile is refused, and nothing comes back', async () => {
    const tenant = await fixture.createTenant();
    const conversation = await begin(tenant);
    const segment = await turnOf(tenant);
    await segment.turn.begin(conversation);
    await tenant.store.conversations.delete(ANN, conversation);
    expect(await errorCode(segment.turn.end(conversation, endedTurn()))).toBe('conversation_not_found');
    const left = await fixture.redis.keys(`*${taskRef(conversation)}`);
    expect(left.filter((key) => /conversation|messages/.test(key))).toEqual([]);
    expect(await fixture.redis.hgetall(tenant.keys.conversationSizes)).toEqual({});
  });

  test('makes the oldest turns leave, whole, when the messages are too many', async () => {
    const tenant = await fixture.createTenant({ conversationMessages: 5 });
    const conversation = await begin(tenant);
    const answered: Message[] = [
      QUESTION,
      { role: 'assistant', content: 'one' },
      { role: 'assistant', content: 'two' },
    ];
    const segment = await turnOf(tenant);
    await segment.turn.begin(conversation);
    await segment.turn.end(conversation, endedTurn(answered));
    expect((await tenant.store.conversations.read(ANN, conversation)).summary.messages).toBe(5);
    const next = await turnOf(tenant);
    await next.turn.begin(conversation);
    await next.turn.end(conversation, endedTurn());
    const { summary, first, messages } = await tenant.store.conversations.read(ANN, conversation);
    expect(summary).toMatchObject({ messages: 5, droppedMessages: 2 });
    expect([first, messages]).toEqual([2, [...answered, QUESTION, REPLY]]);
  });

  test('makes the conversations leave that were not used for the longest', async () => {
    const tenant = await fixture.createTenant({ conversations: 2 });
    const ids = [await begin(tenant), await begin(tenant), await begin(tenant)];
    const { items } = await tenant.store.conversations.page(ANN);
    expect(items.map(({ conversationId }) => conversationId)).toEqual([ids[2], ids[1]]);
    expect(await fixture.redis.exists(tenant.keys.conversation(ids[0]!), tenant.keys.messages(ids[0]!))).toBe(
      0,
    );
  });

  test('is counted in what the tenant stores, and its deletion counts it back', async () => {
    const tenant = await fixture.createTenant();
    const stored = async () =>
      Number((await fixture.redis.hget(tenant.keys.tenant, 'conversationsStored')) ?? 0);
    const conversation = await begin(tenant, [QUESTION, { role: 'assistant', content: 'x'.repeat(10_000) }]);
    expect(await stored()).toBeGreaterThan(10_000);
    await tenant.store.conversations.delete(ANN, conversation);
    expect(await stored()).toBe(0);
  });

  test('without the fence would add a turn of a run that was replaced', async () => {
    const tenant = await fixture.createTenant();
    const segment = await turnOf(tenant);
    await tenant.tasks.cancel(ANN, segment.taskId);
    const end = () => segment.turn.end(segment.taskId, endedTurn());
    expect(await fixture.recorder.withMutant(END_TURN, [['fence ~= A_fence', 'false']], end)).toBe('ended');
  });
});

test('a request that is shown has the messages of its conversation behind its system messages', async () => {
  const tenant = await fixture.createTenant();
  const conversation = await begin(tenant);
  const wait = turnWait('0', conversation, 2);
  const taskId = await tenant.openTask({ waits: [wait] });
  const id = formatInteractionId(taskId, 1);
  const { store } = tenant;
  const seen = [
    (await store.queries.interaction(ANN, id)).request,
    (await store.queries.pending.records(AGENT, { claim: { max: 5, leaseMs: 1_000 } })).items[0]?.request,
    ((await store.tasks.read(ANN, taskId)) as { pending: readonly { request: unknown }[] }).pending[0]
      ?.request,
  ];
  const messages = [QUESTION, REPLY, { role: 'user', content: 'Say yes.' }];
  for (const request of seen) expect(request).toMatchObject({ call: { request: { messages } } });
  expect(JSON.stringify(await tenant.readRecord(taskId))).not.toContain('How are you?');
});

test('the time for an answer begins when it is first shown', async () => {
  const tenant = await fixture.createTenant();
  const wait = turnWait('0', 'none', 0, 20_000);
  const taskId = await tenant.openTask({ waits: [llmWait('1')], ready: true });
  const segment = await fixture.loadSegment();
  await segment.park({ journal: [], drops: [], waits: [wait] });
  const id = formatInteractionId(taskId, 2);
  const dueOf = async () =>
    Number(/ 2;(\d+);/.exec(` ${(await tenant.readRecord(taskId))['open']}`)?.[1] ?? 0) - Date.now();
  expect(await dueOf()).toBeGreaterThan(60_000);
  const shown = await tenant.store.queries.interaction(ANN, id);
  expect(await dueOf()).toBeLessThanOrEqual(20_000);
  const again = await tenant.store.queries.interaction(ANN, id);
  expect(again.expiresAt).toBe(shown.expiresAt);
  expect(Number(await fixture.redis.zscore(tenant.keys.deadlines, taskRef(taskId)))).toBe(shown.expiresAt);
});
