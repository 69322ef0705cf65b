import type { TaskStatus } from '@baton/protocol';
import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import { startTestCluster } from '../testing/redis-cluster.ts';
import { closeFixture, connectFixture, openFixture, ioredisUrl } from '../testing/store-fixture.ts';
import { ANN, llmWait, sleepWait, type TestTenant } from '../testing/test-tenant.ts';
import type { Wait } from '../records/park-request.ts';
import type { InboxSubscription, TaskUpdate } from './inbox-subscription.ts';
import { ReplicaInbox } from './replica-inbox.ts';
import { storeInternalsOf } from '../store-internals.ts';
import { Store } from '../store.ts';

const fixture = await openFixture();
const { store, redis } = fixture;
const { inbox } = store;
const nothing = { journal: [], drops: [], waits: [] };

/** Settles whatever is taken next. */
const settleNext = async (result = {}) =>
  (await fixture.loadSegment()).settle({ status: 'completed', result });

test('a subscription receives that its task has parked, with the events that it has consumed, and how it ended', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  const listener = inbox.subscribe(testTenant.member(taskId));
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  await (await fixture.loadSegment()).park(nothing);
  expect(await listener.next(5_000)).toEqual({ seen: 1, status: 'input_required' });
  await testTenant.tasks.read(ANN, taskId, inbox.channel);
  await testTenant.answer(taskId, 2);
  await settleNext({ text: 'a b  c' });
  expect(await listener.next(5_000)).toEqual({
    seen: 2,
    status: 'completed',
    end: { status: 'completed', result: { text: 'a b  c' } },
  });
  listener.close();
});

describe('of subscriptions with one group', () => {
  const update: TaskUpdate = { seen: 0, status: 'input_required', end: undefined };
  const isWoken = async (one: InboxSubscription) => (await one.next(0)) !== 'ended';
  const tell = () => inbox.onMessage(`a-topic 0 input_required `);
  const subscribe = (group?: string) => inbox.subscribe('a-topic', undefined, group);

  test('one is woken, and each without a group', async () => {
    const [first, second, other, free] = [subscribe('g'), subscribe('g'), subscribe('h'), subscribe()];
    tell();
    expect(await first.next(0)).toEqual(update);
    expect([await isWoken(second), await isWoken(other), await isWoken(free)]).toEqual([false, true, true]);
    for (const one of [first, second, other, free]) one.close();
  });

  test('whoever leaves without having found nothing wakes the next; whoever waits again does not', async () => {
    const all = [subscribe('g'), subscribe('g'), subscribe('g')] as const;
    tell();
    await all[0].next(0);
    all[0].close();
    expect([await isWoken(all[1]), await isWoken(all[2])]).toEqual([true, false]);
    await all[1].next(0);
    all[1].close();
    expect(await isWoken(all[2])).toBe(false);
    tell();
    expect(await isWoken(all[2]), 'the first of those that are left').toBe(true);
    all[2].close();
  });

  test('one that is closed before it has heard of its update leaves it to the next', async () => {
    const [first, second] = [subscribe('g'), subscribe('g')];
    tell();
    first.close();
    expect(await isWoken(second)).toBe(true);
    second.close();
  });
});

test('a park whose waits are all new is published whole, as it would be read; one that leaves others open is to be read', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0')] });
  const listener = inbox.subscribe(testTenant.member(taskId));
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  const asked: Wait[] = [llmWait('1', 'How "many"?'), llmWait('2'), sleepWait('3', 3_600_000), llmWait('4')];
  await (await fixture.loadSegment()).park({ ...nothing, waits: asked });
  const { parked, ...update } = (await listener.next(5_000)) as TaskUpdate;
  expect(update).toEqual({ seen: 1, status: 'input_required' });
  const { tasks } = testTenant;
  const {
    updatedAt,
    createdAt: _at,
    expiresAt: _due,
    usage: _usage,
    ...read
  } = await tasks.read(ANN, taskId);
  const shown = await tasks.showParked(taskId, update.seen, parked!);
  expect(shown).toEqual({ ...read, updatedAt, createdAt: 0, expiresAt: 0 });
  expect(shown).toMatchObject({ pending: [{}, {}, {}] });

  await testTenant.answer(taskId, 3, { channel: inbox.channel });
  await (await fixture.loadSegment()).park({ ...nothing, waits: [llmWait('5')] });
  expect(await listener.next(5_000)).toEqual({ seen: 2, status: 'input_required' });
  listener.close();
});

test('a park with requests of more than 64 KiB is published without them, and so is one that only sleeps', async () => {
  const testTenant = await fixture.createTenant();
  const large = llmWait('1', 'x'.repeat(70_000));
  for (const [wait, status] of [
    [large, 'input_required'],
    [sleepWait('1', 3_600_000), 'working'],
  ] as const) {
    const taskId = await testTenant.openTask({ waits: [llmWait('0')] });
    const listener = inbox.subscribe(testTenant.member(taskId));
    await testTenant.answer(taskId, 1, { channel: inbox.channel });
    await (await fixture.loadSegment()).park({ ...nothing, waits: [wait] });
    expect(await listener.next(5_000)).toEqual({ seen: 1, status });
    listener.close();
  }
});

test('who waits for the end of a task alone is told of no park, stays registered, and is told of the end, and so are others of its replica', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  const waiters = async () => (await testTenant.readRecord(taskId))['w'];
  const listener = inbox.subscribe(testTenant.member(taskId));
  await testTenant.tasks.read(ANN, taskId, inbox.endChannel);
  await testTenant.tasks.read(ANN, taskId, 'inbox-2');
  await testTenant.tasks.read(ANN, taskId, inbox.endChannel);
  expect(await waiters()).toBe(`${inbox.endChannel} inbox-2`);
  await testTenant.answer(taskId, 1);
  await (await fixture.loadSegment()).park(nothing);
  expect(await waiters()).toBe(inbox.endChannel);
  await testTenant.answer(taskId, 2, { channel: inbox.channel });
  expect(await waiters()).toBe(`${inbox.endChannel} ${inbox.channel}`);
  await settleNext({ text: 'x' });
  // A notice of the park would have come first.
  expect(await listener.next(5_000)).toMatchObject({ seen: 2, end: { result: { text: 'x' } } });
  expect(await waiters()).toBe('');
  listener.close();
});

test.each(['cancelled', 'failed'] as const)(
  'a subscription receives that its task was %s, and why',
  async (status: TaskStatus) => {
    const testTenant = await fixture.createTenant();
    const brief = status === 'failed' ? testTenant.withLifetimes({ task: 0 }) : testTenant;
    const taskId = await brief.openTask();
    await testTenant.tasks.read(ANN, taskId, inbox.channel);
    const listener = inbox.subscribe(testTenant.member(taskId));
    if (status === 'failed') await fixture.sweep();
    else await testTenant.tasks.cancel(ANN, taskId);
    const code = status === 'failed' ? 'task_expired' : 'task_cancelled';
    expect(await listener.next(5_000)).toMatchObject({ status, end: { status, error: { code } } });
    listener.close();
  },
);

test('a notice that comes before the reply of ACCEPT_ANSWER is not lost', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const [listener, other] = [1, 2].map(() => inbox.subscribe(testTenant.member(taskId))) as [
    InboxSubscription,
    InboxSubscription,
  ];
  const worker = (async () => {
    for (;;) {
      const [segment] = await fixture.loadSegments(1);
      if (segment) return segment.settle({ status: 'completed', result: {} });
    }
  })();
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  await worker;
  // Both are given it at once.
  await other.next(5_000);
  expect(await listener.next(0), 'it was kept until it was asked for').toMatchObject({ status: 'completed' });
  listener.close();
  other.close();
});

test('an end of more than 64 KiB is published without its payload, which is to be read', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const listener = inbox.subscribe(testTenant.member(taskId));
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  await settleNext({ text: 'x'.repeat(70_000) });
  expect(await listener.next(5_000)).toEqual({ seen: 1, status: 'completed' });
  expect(await testTenant.tasks.read(ANN, taskId)).toMatchObject({ result: { text: 'x'.repeat(70_000) } });
  listener.close();
});

test('only replicas that wait for a task are notified of it, each once, however many of its requests wait', async () => {
  const testTenant = await fixture.createTenant();
  const received = { waiting: 0, idle: 0 };
  const others = new Redis(ioredisUrl(fixture.url));
  await others.subscribe(fixture.keyspace.inbox('waiting'), fixture.keyspace.inbox('idle'));
  others.on('message', (channel) => (received[channel.split(':').at(-1) as 'waiting' | 'idle'] += 1));
  const taskId = await testTenant.openTask();
  const channel = fixture.keyspace.inbox('waiting');
  await testTenant.tasks.read(ANN, taskId, channel);
  await testTenant.tasks.read(ANN, taskId, channel);
  await testTenant.answer(taskId, 1, { channel });
  await testTenant.answer(taskId, 1, { channel });
  await testTenant.openTask();
  await settleNext();
  // A subscriber is given what is published in its order.
  await redis.publish(fixture.keyspace.inbox('idle'), 'the last');
  await vi.waitFor(() => expect(received.idle).toBe(1));
  expect(received).toEqual({ waiting: 1, idle: 1 });
  others.disconnect();
});

test('a wait ends at its deadline and when its call is aborted, and leaves nothing behind', async () => {
  const listener = inbox.subscribe('t:none');
  expect(await listener.next(5)).toBe('ended');
  const abort = new AbortController();
  const waiting = listener.next(60_000, abort.signal);
  abort.abort();
  expect(await waiting).toBe('ended');
  expect(await listener.next(60_000, abort.signal)).toBe('ended');
  listener.close();
  const { subscriptions } = inbox as unknown as { subscriptions: Map<string, unknown> };
  expect([...subscriptions.keys()]).not.toContain('t:none');
});

test('each subscription to a task receives its update', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const listeners = [1, 2, 3].map(() => inbox.subscribe(testTenant.member(taskId)));
  await testTenant.answer(taskId, 1, { channel: inbox.channel });
  await settleNext();
  for (const listener of listeners) {
    expect(await listener.next(5_000)).toMatchObject({ status: 'completed' });
    listener.close();
  }
});

/** Ends the connections that subscribe, as a network would. */
async function killSubscribers(client: Redis): Promise<void> {
  const list = (await client.client('LIST')) as string;
  const ids = list
    .split('\n')
    .flatMap((line) => (/ sub=[1-9]/.test(line) ? (/^id=(\d+)/.exec(line)?.[1] ?? []) : []));
  for (const id of ids) await client.client('KILL', 'ID', id);
}

/** What a waiter does: it reads when it is told to look, and what that registers for must reach it. */
async function looksAndHears(
  testTenant: TestTenant,
  own: ReplicaInbox,
  kill: () => Promise<void>,
  settle: () => Promise<unknown>,
) {
  const taskId = await testTenant.openTask();
  const listener = own.subscribe(testTenant.member(taskId));
  await testTenant.answer(taskId, 1, { channel: own.channel });
  const waiting = listener.next(20_000);
  await kill();
  expect(await waiting).toBe('reread');
  const view = await testTenant.tasks.read(ANN, taskId, own.channel);
  expect(view.status).toBe('working');
  await settle();
  expect(await listener.next(20_000)).toMatchObject({ status: 'completed' });
  listener.close();
}

test('after a reconnect every subscription is to read again, and receives what is published from then on', async () => {
  for (let time = 0; time < 5; time++) {
    await redis.flushall();
    await looksAndHears(await fixture.createTenant(), inbox, () => killSubscribers(redis), settleNext);
  }
});

test('on a cluster the subscriber reconnects to another node, and every subscription is to read again', {
  timeout: 60_000,
}, async () => {
  const cluster = await startTestCluster();
  const nodes = cluster.nodes.map((url) => new Redis(url));
  const own = await connectFixture(cluster.url, {}, nodes[0]);
  const testTenant = await own.createTenant();
  const shard = own.shards[own.keyspace.shardIndex(testTenant.store.id)];
  await looksAndHears(
    testTenant,
    own.store.inbox,
    async () => {
      for (const node of nodes) await killSubscribers(node);
    },
    async () => (await own.loadSegment(shard)).settle({ status: 'completed', result: {} }),
  );
  await closeFixture(own);
  nodes[1]?.disconnect();
  await cluster.stop();
});

test('closing ends every wait and the connection', async () => {
  const server = await startPrivateRedis();
  const own = await Store.open({ url: server.url, secret: 's', replica: 'r' });
  const listener = own.inbox.subscribe('t:x');
  const waiting = listener.next(20_000);
  await own.close();
  expect(await waiting).toBe('reread');
  const look = new Redis(ioredisUrl(server.url));
  await vi.waitFor(async () =>
    expect(((await look.client('LIST')) as string).trim().split('\n')).toHaveLength(1),
  );
  look.disconnect();
  await server.stop();
});

test('an inbox receives its own channel only', async () => {
  const { connection, keyspace } = storeInternalsOf(store);
  const other = await ReplicaInbox.open(connection, keyspace, 'replica-2', store.admissionChanges);
  const [mine, theirs] = [inbox.subscribe('t:y'), other.subscribe('t:y')];
  await redis.publish(other.channel, 't:y 3 working ');
  expect(await theirs.next(5_000)).toEqual({ seen: 3, status: 'working' });
  expect(await mine.next(20)).toBe('ended');
  mine.close();
  theirs.close();
  other.close();
});
