import { Counter, Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { startMonitoringServer, type MonitoringSource } from './monitoring-server.ts';

let close = () => {};
afterEach(() => close());

const registry = new Registry();
new Counter({ name: 'some_total', help: 'something', registers: [registry] });
const store: MonitoringSource['store'] = {
  ping: async () => {},
  pausedQueues: async () => [],
  redisMemory: { usable: true, usedShare: 0, refuses: undefined },
};
const sound: MonitoringSource = {
  lastTickAt: () => performance.now(),
  store,
  draining: () => false,
  metrics: registry,
  metricsFor: undefined,
};

/** What /healthz and /readyz say. */
async function said(signs: Partial<MonitoringSource>): Promise<string> {
  const health = await startMonitoringServer({ host: '127.0.0.1', port: 0 }, { ...sound, ...signs });
  close = () => health.close();
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${health.port}${path}`)).status;
  return `${await ask('/healthz')} ${await ask('/readyz')} ${await ask('/other')}`;
}

test('a worker whose loop turns and whose Redis answers is alive and ready', async () => {
  expect(await said({})).toBe('200 200 404');
});

test('a worker without its Redis is not ready, and never taken for dead: ending it would mend nothing', async () => {
  expect(await said({ store: { ...store, ping: () => Promise.reject(new Error('gone')) } })).toBe(
    '200 503 404',
  );
});

test('a worker whose loop does not turn is neither', async () => {
  const since = performance.now() - 16_000;
  expect(await said({ lastTickAt: () => since })).toBe('503 503 404');
});

test('a worker that drains is not ready, and not dead though its loop has ended', async () => {
  const since = performance.now() - 16_000;
  expect(await said({ draining: () => true, lastTickAt: () => since })).toBe('200 503 404');
});

test.each<[string, Partial<MonitoringSource['store']>, object]>([
  [
    'a queue that an operator has paused',
    { pausedQueues: async () => ['s0:resume'] },
    { paused: ['s0:resume'] },
  ],
  [
    'what is refused for want of memory',
    { redisMemory: { usable: true, usedShare: 0.93, refuses: 'new calls' } },
    { refuses: 'new calls' },
  ],
])('%s is named by /readyz, and leaves the worker ready', async (_what, redis, told) => {
  const health = await startMonitoringServer(
    { host: '127.0.0.1', port: 0 },
    { ...sound, store: { ...store, ...redis } },
  );
  close = () => health.close();
  const reply = await fetch(`http://127.0.0.1:${health.port}/readyz`);
  expect([reply.status, await reply.json()]).toEqual([200, { status: 'ready', ...told }]);
});

test.each([
  ['nobody, where no token is set', undefined, 'Bearer undefined', 401],
  ['who shows the token', { token: 'a token of operators' }, 'Bearer a token of operators', 200],
  ['nobody with another token', { token: 'a token of operators' }, 'Bearer a token of operatorz', 401],
  ['nobody without a token', { token: 'a token of operators' }, '', 401],
  ['everybody, where they are open', 'everybody' as const, '', 200],
])('the metrics are for %s', async (_who, metricsFor, authorization, status) => {
  const health = await startMonitoringServer({ host: '127.0.0.1', port: 0 }, { ...sound, metricsFor });
  close = () => health.close();
  const reply = await fetch(`http://127.0.0.1:${health.port}/metrics`, { headers: { authorization } });
  expect(reply.status).toBe(status);
  expect((await reply.text()).includes('some_total 0')).toBe(status === 200);
});
