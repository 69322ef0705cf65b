import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RestEndpoint } from '../settings/rest-endpoint.ts';
import { RestClient } from './rest-client.ts';

/** What a gateway says of a credential that it does not know, and, at the port of clients, of an operator's route. */
const PROBLEMS: Readonly<Record<string, object>> = {
  '/v1/refused': { code: 'unauthenticated', detail: 'The credential is not a Baton API key.' },
  '/v1/tenants': { code: 'not_found', detail: 'There is no GET /v1/tenants.' },
};
const server = createServer(({ url = '' }, response) => {
  response.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(PROBLEMS[url]));
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server.close());

async function refusal(setting: RestEndpoint['setting'], path: string) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new RestClient({ url, base: `${url}/v1`, credential: 'hush', setting });
  return client.request('GET', path).catch((error: Error & { exitCode?: number }) => error) as Promise<
    Error & { exitCode?: number }
  >;
}

test('a wrong operator token is never called an API key, and the port where it may be good is named', async () => {
  const { message, exitCode } = await refusal('BATON_OPERATOR_TOKEN', '/refused');
  expect(exitCode).toBe(78);
  expect(message).toMatch(
    /^BATON_OPERATOR_TOKEN=\(hidden\): is not the operator token of the gateway at http/,
  );
  expect(message).toContain('BATON_OPERATOR_PORT');
  expect(message).not.toMatch(/API key|hush/);
});

test('a gateway that serves operators elsewhere is told from a route that no gateway has', async () => {
  const { message } = await refusal('BATON_OPERATOR_TOKEN', '/tenants');
  expect(message).toMatch(/^There is no GET \/v1\/tenants\. Where the gateway has a BATON_OPERATOR_PORT/);
  expect((await refusal('BATON_API_KEY', '/tenants')).message).not.toContain('BATON_OPERATOR_PORT');
});

test('of a wrong key it is told what the gateway says of it', async () => {
  const { message } = await refusal('BATON_API_KEY', '/refused');
  expect(message).toMatch(/^BATON_API_KEY=\(hidden\): .*is not a Baton API key/);
  expect(message).not.toContain('BATON_OPERATOR_PORT');
});
