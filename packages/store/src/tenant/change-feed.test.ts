import { formatInteractionId } from '@baton/protocol';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import type { Change } from './change-feed.ts';
import { openFixture, ioredisUrl } from '../testing/store-fixture.ts';
import { ANN, llmWait, type TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;

/** Hears a tenant's changes from now on; `next` are those since it was asked last, once there are so many. */
async function subscribe(testTenant: TestTenant) {
  const received: Change[] = [];
  const missed = { away: 0, back: 0 };
  const leave = await testTenant.store.changes.subscribe({
    onChange: (change) => received.push(change),
    onDisconnect: () => missed.away++,
    onReconnect: () => missed.back++,
  });
  const next = async (count: number) => {
    await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), {
      timeout: 5_000,
      interval: 2,
    });
    return received.splice(0);
  };
  return { received, missed, leave, next };
}

const project = (name: string, change: object) => ({ kind: 'project', project: name, ...change });
const task = (taskId: string, listed: boolean) => ({ kind: 'task', taskId, principal: 'ann', listed });

test('each step of a task is published, and whether an entry of a list came or went with it', async () => {
  const testTenant = await fixture.createTenant();
  const { next } = await subscribe(testTenant);
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  expect(await next(1)).toEqual([task(taskId, true)]);
  await testTenant.interactions.extend(ANN, formatInteractionId(taskId, 1), 60_000);
  expect(await next(1)).toEqual([task(taskId, false)]);
  await testTenant.answer(taskId);
  expect(await next(1)).toEqual([task(taskId, true)]);
  await (await fixture.loadSegment()).park({ journal: [], drops: [], waits: [llmWait('2')] });
  expect(await next(1)).toEqual([task(taskId, true)]);
  await testTenant.interactions.cancel(ANN, formatInteractionId(taskId, 2));
  expect(await next(1)).toEqual([task(taskId, true)]);
  await (await fixture.loadSegment()).park({ journal: [], drops: [], waits: [] });
  expect(await next(1)).toEqual([task(taskId, false)]);
  await testTenant.answer(taskId, 3);
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  expect(await next(2)).toEqual([task(taskId, true), task(taskId, false)]);
});

test('an expiry and a cancellation are published', async () => {
  const testTenant = await fixture.createTenant();
  const late = await testTenant.withLifetimes({ interaction: 0 }).openTask();
  const over = await testTenant.withLifetimes({ task: 0 }).openTask();
  const cancelled = await testTenant.openTask();
  const { next } = await subscribe(testTenant);
  await fixture.sweep();
  const received = await next(2);
  expect(received).toHaveLength(2);
  expect(received).toEqual(expect.arrayContaining([task(late, true), task(over, true)]));
  await testTenant.tasks.cancel(ANN, cancelled);
  expect(await next(1)).toEqual([task(cancelled, true)]);
});

test('a commit publishes its project, the kinds of its fields, and whether any came or went', async () => {
  const testTenant = await fixture.createTenant();
  const { projects } = testTenant.store;
  const { next } = await subscribe(testTenant);
  const name = 'C:\\Häuser & Gärten/"1"';
  const commit = async (version: string, set: [string, string][], deleted: string[] = []) => {
    await projects.commit(name, { version }, { set, delete: deleted });
    const [change] = await next(1);
    return change;
  };
  expect(
    await commit('0', [
      ['meta', '{}'],
      ['task:1:a:b', '{}'],
    ]),
  ).toEqual(project(name, { fields: new Set(['meta', 'task']), created: true, shaped: true }));
  expect(await commit('1', [['task:1:a:b', '{"x":1}']])).toEqual(
    project(name, { fields: new Set(['task']), created: false, shaped: false }),
  );
  expect(await commit('2', [['file:x', '{}']], ['task:1:a:b'])).toEqual(
    project(name, { fields: new Set(['file', 'task']), created: false, shaped: true }),
  );
  expect(await commit('3', [], ['file:x'])).toEqual(
    project(name, { fields: new Set(['file']), created: false, shaped: true }),
  );
});

test('a refused change is not published', async () => {
  const testTenant = await fixture.createTenant();
  const { received } = await subscribe(testTenant);
  const { projects } = testTenant.store;
  const taskId = await testTenant.openTask();
  expect(await projects.commit('p', { version: '7' }, { set: [['meta', '{}']], delete: [] })).toBe(
    'conflict',
  );
  await testTenant.answer(taskId);
  await testTenant.answer(taskId);
  const segment = await fixture.loadSegment();
  await segment.settle({ status: 'completed', result: {} });
  await segment.settle({ status: 'completed', result: {} });
  await testTenant.store.changes.publishStreamOpened('a', 'last');
  await vi.waitFor(() => expect(received.at(-1)).toEqual({ kind: 'stream', session: 'a', stream: 'last' }));
  expect(received.slice(0, -1)).toEqual([task(taskId, true), task(taskId, true), task(taskId, false)]);
});

test('nothing is published while no replica subscribes to the tenant, whatever else is subscribed to', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const published: string[] = [];
  const tap = new Redis(ioredisUrl(fixture.url));
  await tap.psubscribe('*');
  tap.on('pmessage', (_pattern, channel: string) => published.push(channel));
  await subscribe(other);
  const steps = async () => {
    const taskId = await testTenant.openTask();
    await testTenant.answer(taskId);
    await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
    await testTenant.store.projects.commit('p', undefined, { set: [['meta', '{}']], delete: [] });
    await testTenant.store.sessionSubscriptions.subscribe(ANN, 'a', 'baton://projects');
  };
  await steps();
  await tap.ping();
  expect(published.filter((channel) => channel.includes(testTenant.store.id))).toEqual([]);
  tap.disconnect();
});

test('a subscription is recorded for CHANGE_FEED_TTL, and its renewal says when the record had expired', async () => {
  const testTenant = await fixture.createTenant();
  const { leave } = await subscribe(testTenant);
  const { activeChangeChannel } = testTenant.keys;
  expect(await redis.pttl(activeChangeChannel)).toBeGreaterThan(0);
  expect(await testTenant.store.changes.renewSubscription()).toBe(true);
  await redis.del(activeChangeChannel);
  expect(await testTenant.store.changes.renewSubscription()).toBe(false);
  expect(await testTenant.store.changes.renewSubscription()).toBe(true);
  leave();
});

test('a subscriber learns of a disconnect and of the reconnect, and receives what is published from then on', async () => {
  const testTenant = await fixture.createTenant();
  const { missed, received, next } = await subscribe(testTenant);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await vi.waitFor(() => expect(missed).toEqual({ away: 1, back: 1 }), { timeout: 5_000, interval: 2 });
  received.length = 0;
  const taskId = await testTenant.openTask();
  expect(await next(1)).toEqual([task(taskId, true)]);
});

test('an unsubscribed subscriber receives nothing more, and the others do', async () => {
  const testTenant = await fixture.createTenant();
  const [one, two] = [await subscribe(testTenant), await subscribe(testTenant)];
  one.leave();
  const taskId = await testTenant.openTask();
  expect(await two.next(1)).toEqual([task(taskId, true)]);
  two.leave();
  const again = await subscribe(testTenant);
  const second = await testTenant.openTask();
  expect(await again.next(1)).toEqual([task(second, true)]);
  expect([...one.received, ...two.received]).toEqual([]);
});

test('subscriptions and streams are published, and nothing of what was never subscribed to', async () => {
  const testTenant = await fixture.createTenant();
  const { next } = await subscribe(testTenant);
  const { sessionSubscriptions, changes } = testTenant.store;
  const uri = 'baton://projects';
  await sessionSubscriptions.subscribe(ANN, 'a', uri);
  await sessionSubscriptions.unsubscribe('a', 'baton://never-subscribed-to');
  await sessionSubscriptions.unsubscribe('a', uri);
  await sessionSubscriptions.unsubscribe('a', uri);
  await changes.publishStreamOpened('a', 'stream-1');
  expect(await next(3)).toEqual([
    { kind: 'subscription', session: 'a', uri, on: true },
    { kind: 'subscription', session: 'a', uri, on: false },
    { kind: 'stream', session: 'a', stream: 'stream-1' },
  ]);
});
