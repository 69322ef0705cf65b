import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveConsole } from './console.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-console-'));
let app: FastifyInstance;

beforeAll(async () => {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
  writeFileSync(join(folder, 'console-ABC.js'), 'render();');
  writeFileSync(join(folder, 'console-ABC.js.br'), 'compressed');
  writeFileSync(join(tmpdir(), 'baton-console-secret.txt'), 'secret');
  app = Fastify();
  await serveConsole(app, folder);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
  rmSync(join(tmpdir(), 'baton-console-secret.txt'));
});

const get = (url: string, headers = {}) => app.inject({ url, headers });

test('the page is asked for anew each time, and its policy lets it run its own script and call its own server only', async () => {
  const { headers, body } = await get('/console/');
  expect(body).toContain('<title>Console</title>');
  expect(headers['cache-control']).toBe('no-cache');
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((one) => [one.split(' ')[0], one.split(' ').slice(1).join(' ')]),
  );
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'self'");
  expect(policy.get('connect-src')).toBe("'self'");
  expect(policy.get('frame-ancestors')).toBe("'none'");
  expect(headers['referrer-policy']).toBe('no-referrer');
});

test('what is named by its content is kept, and sent compressed to whoever takes it so', async () => {
  const plain = await get('/console/console-ABC.js');
  expect([plain.body, plain.headers['content-encoding']]).toEqual(['render();', undefined]);
  expect(plain.headers['cache-control']).toContain('immutable');
  expect(plain.headers['content-type']).toContain('javascript');
  const small = await get('/console/console-ABC.js', { 'accept-encoding': 'br' });
  expect([small.body, small.headers['content-encoding']]).toEqual(['compressed', 'br']);
});

test('the address without its slash leads to the page', async () => {
  const { statusCode, headers } = await get('/console');
  expect([statusCode, headers.location]).toEqual([308, '/console/']);
});

test.each([
  'missing.js',
  '..%2fbaton-console-secret.txt',
  '%2e%2e%2fbaton-console-secret.txt',
  '..%5cx',
  '%00',
])('nothing but its files is served: %s', async (name) => {
  const { statusCode, body } = await get(`/console/${name}`);
  expect(statusCode).toBeGreaterThanOrEqual(400);
  expect(body).not.toContain('secret\n');
  expect(body).not.toBe('secret');
});

test('without a folder there is no console', async () => {
  const without = Fastify();
  await serveConsole(without, undefined);
  expect((await without.inject({ url: '/console/' })).statusCode).toBe(404);
  await without.close();
});
