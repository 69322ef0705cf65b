import { afterEach, expect, test } from 'vitest';
import { serveHealth, type Signs } from './health.ts';

let close = () => {};
afterEach(() => close());

const sound: Signs = { lastTickAt: () => performance.now(), ping: async () => {}, draining: () => false };

/** What /healthz and /readyz say. */
async function said(signs: Partial<Signs>): Promise<string> {
  const health = await serveHealth({ host: '127.0.0.1', port: 0 }, { ...sound, ...signs });
  close = () => health.close();
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${health.port}${path}`)).status;
  return `${await ask('/healthz')} ${await ask('/readyz')} ${await ask('/other')}`;
}

test('a worker whose loop turns and whose Redis answers is alive and ready', async () => {
  expect(await said({})).toBe('200 200 404');
});

test('a worker without its Redis is not ready, and never taken for dead: ending it would mend nothing', async () => {
  expect(await said({ ping: () => Promise.reject(new Error('gone')) })).toBe('200 503 404');
});

test('a worker whose loop does not turn is neither', async () => {
  const since = performance.now() - 16_000;
  expect(await said({ lastTickAt: () => since })).toBe('503 503 404');
});

test('a worker that drains is not ready, and not dead though its loop has ended', async () => {
  const since = performance.now() - 16_000;
  expect(await said({ draining: () => true, lastTickAt: () => since })).toBe('200 503 404');
});
