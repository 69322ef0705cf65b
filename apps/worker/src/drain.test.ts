import { startPrivateRedis } from '@baton/local-redis';
import { delegatedCall, type Operation, testOperations } from '@baton/operations';
import { parseKey } from '@baton/protocol';
import { type AnswerCheck, Programs, startOperation } from '@baton/runner';
import { type Identity, Store } from '@baton/store';
import { OperatorDoor } from '@baton/store/operator';
import { openShards, type Segment, type Shard } from '@baton/store/shards';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Drain } from './drain.ts';

let server: Awaited<ReturnType<typeof startPrivateRedis>>;
let store: Store;
let shard: Shard;
/** What was handed over to this worker's shift. */
let handed: Segment[];

beforeAll(async () => {
  server = await startPrivateRedis();
  store = await Store.open({ url: server.url, secret: 'a secret of a test', replica: 'w0' });
  await new OperatorDoor(store).create({ id: 'acme' });
  [shard] = openShards(store) as [Shard];
});
afterAll(async () => {
  await store.close();
  await server.stop();
});
beforeEach(() => {
  handed = [];
});

/** Starts an operation and answers what it asks; its task is then a worker's. */
async function answered(operation: Operation, input: object, answer: object): Promise<string> {
  const tenant = store.tenant('acme');
  const { key } = await tenant.credentials.create({ name: 'test', scopes: ['mcp', 'agent'] });
  const parts = parseKey(key)!;
  const started = await startOperation(tenant, tenant.caller(parts, 100), operation, input as never);
  if (started.kind !== 'parked') throw new Error(`the operation is ${started.kind}`);
  await tenant.interactions.accept(tenant.caller(parts, 100), {
    interactionId: started.pending[0]!.interactionId,
    text: JSON.stringify({ status: 'success', data: { object: answer } }),
    fingerprint: 'one',
    channel: '',
  });
  return started.taskId;
}

const attend = () =>
  shard.attend(
    () => {},
    (segment) => handed.push(segment),
  );
const echo = testOperations.get('bench_echo')!;
const ANYONE: Identity = { principal: '', scopes: new Set(['agent']) };
const statusOf = async (taskId: string) => (await store.tenant('acme').tasks.read(ANYONE, taskId)).status;

function drainWith(check: Partial<AnswerCheck>): Drain {
  const log = pino({ level: 'silent' });
  return new Drain({
    programs: new Programs(testOperations),
    check: check as AnswerCheck,
    log,
    ended: () => {},
  });
}

test('a worker that stops puts back what is still handed to it, before the lease would', async () => {
  await attend();
  const taskId = await answered(echo, { text: 'x' }, { value: 'x' });
  await expect.poll(() => handed.length).toBe(1);
  const drain = drainWith({});
  await drain.stop();
  drain.hand(shard, handed[0]!);
  await drain.stop();
  // Its lease would have it for 5 s.
  await expect.poll(() => shard.sweep(), { timeout: 4_000 }).toBe(true);
  const { segments } = await shard.take(1);
  expect(segments.map((segment) => segment.taskId)).toEqual([taskId]);
  expect(segments[0]?.state.tries, 'it was not its fault').toBe(1);
});

test('what was handed over and takes long keeps nobody from what stands ready', async () => {
  await attend();
  let letGo = () => {};
  const checked = new Promise<unknown>((resolve) => (letGo = () => resolve({ ok: true, value: {} })));
  // A check that takes until the test has seen what it looks for.
  const drain = drainWith({ read: () => checked as never });
  const schema = { type: 'object' };
  const request = { requestParameters: { messages: [{ role: 'user', content: 'Say a.' }], schema } };
  const slow = { originalCommand: 'slow', role: 'main', serviceType: 'generateObject', ...request };
  const long = await Promise.all(Array.from({ length: 16 }, () => answered(delegatedCall, slow, {})));
  await expect.poll(() => handed.length).toBe(16);
  for (const segment of handed) drain.hand(shard, segment);

  await shard.leave();
  const taskId = await answered(echo, { text: 'x' }, { value: 'x' });
  expect(await shard.leave(), 'it stands ready').toBe(1);
  await drain.shard(shard);
  await expect.poll(() => statusOf(taskId)).toBe('completed');
  expect(new Set(await Promise.all(long.map(statusOf)))).toEqual(new Set(['working']));
  letGo();
  await drain.stop();
  expect(new Set(await Promise.all(long.map(statusOf)))).toEqual(new Set(['completed']));
});
