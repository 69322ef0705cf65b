import { once } from 'node:events';
import { createConnection } from 'node:net';
import { startPrivateRedis } from '@baton/local-redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  postJsonRpc,
} from '../harness/mcp-client.ts';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../processes/baton-process.ts';

/** Two gateways and a worker, started as processes with one REDIS_URL and one secret. */
const OPERATOR = 'operator-token-of-the-tests';
let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let environment: NodeJS.ProcessEnv;
let apiKey: string;
const started: BatonProcess[] = [];

async function start(role: 'gateway' | 'worker', more: NodeJS.ProcessEnv = {}): Promise<BatonProcess> {
  const ready = role === 'gateway' ? GATEWAY_READY_LINE : WORKER_READY_LINE;
  const baton = await BatonProcess.start(role, { ...environment, ...more }, ready);
  baton.url = baton.url.replace('0.0.0.0', '127.0.0.1');
  started.push(baton);
  return baton;
}

beforeAll(async () => {
  redis = await startPrivateRedis({});
  environment = {
    REDIS_URL: redis.url,
    BATON_SECRET: 'a secret of the tests',
    BATON_OPERATOR_TOKEN: OPERATOR,
    PORT: '0',
  };
  const { url } = await start('gateway');
  const rest = (path: string, body: object) =>
    fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.json() as Promise<AnyJson>);
  await rest('/tenants', { id: 'acme', limits: { requestsPerSecond: 10_000, burst: 10_000 } });
  apiKey = (await rest('/tenants/acme/keys', { name: 'tests', scopes: ['mcp'] })).key;
});
afterAll(async () => {
  await Promise.all(started.map((baton) => baton.stop('SIGKILL')));
  await redis.stop();
});

const prd = 'A shop that sells three kinds of tea, with a basket and a checkout.';
const tasks = ['Basket', 'Checkout', 'Catalogue'].map((title, index) => ({
  id: index + 1,
  title,
  description: title,
}));

describe('gateways and workers as processes', () => {
  test('a call parked by a gateway that was killed is answered on another and resumed by a worker', async () => {
    const parking = await start('gateway');
    const answering = await start('gateway');
    await start('worker');
    const first = await connectMcpClient(parking.url, apiKey);
    const { interactionId, taskId } = await callTool(first, 'parse_prd', { prd, projectRoot: 'killed' });
    expect(await parking.stop('SIGKILL')).toBe('SIGKILL');
    const second = await connectMcpClient(answering.url, apiKey);
    const { outcome } = await callTool(second, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ tasks }),
    });
    expect(outcome).toMatchObject({ status: 'completed', result: { taskId, tasksAdded: 3 } });
  });

  test('an answer accepted without a worker is resumed when one starts', async () => {
    await Promise.all(
      started
        .filter((baton) => WORKER_READY_LINE.test(baton.output.join('\n')))
        .map((baton) => baton.stop('SIGKILL')),
    );
    const gateway = await start('gateway');
    const client = await connectMcpClient(gateway.url, apiKey);
    const { interactionId, taskId } = await callTool(client, 'parse_prd', { prd, projectRoot: 'no-worker' });
    const agentLLMResponse = successAnswer({ tasks });
    const accepted = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
    expect(accepted.outcome.status).toBe('working');
    const waiting = callTool(client, 'task_status', { taskId, waitMs: 25_000 });
    await start('worker');
    expect(await waiting).toMatchObject({ status: 'completed', result: { tasksAdded: 3 } });
  });

  test('a gateway under SIGTERM finishes open requests, loses none, and exits', async () => {
    const gateway = await start('gateway');
    const client = await connectMcpClient(gateway.url, apiKey);
    const { interactionId, taskId } = await callTool(client, 'parse_prd', { prd, projectRoot: 'drain' });
    await callTool(client, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ tasks: [] }),
      waitMs: 25_000,
    });
    const requests = Array.from({ length: 20 }, (_, n) =>
      postJsonRpc(gateway.url, apiKey, {
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name: 'parse_prd', arguments: { prd, projectRoot: `drain-${n}` } },
      }),
    );
    const held = callTool(client, 'task_status', { taskId, waitMs: 0 });
    await Promise.all([held, requests[0]]);
    const ended = gateway.stop('SIGTERM');
    const replies = await Promise.allSettled(requests);
    expect(await ended).toBe(0);
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
    }
  });

  test('a gateway under SIGTERM serves a request whose body is still being sent', async () => {
    const gateway = await start('gateway');
    const { port } = new URL(gateway.url);
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'parse_prd', arguments: { prd, projectRoot: 'half-sent' } },
    });
    const socket = createConnection(Number(port), '127.0.0.1');
    let said = '';
    socket.setEncoding('utf8').on('data', (part: string) => (said += part));
    socket.write(`POST /mcp HTTP/1.1\r\nHost: baton\r\nContent-Type: application/json\r\n`);
    // It is known to the gateway when another one, sent after it, was answered.
    await postJsonRpc(gateway.url, apiKey, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const ended = gateway.stop('SIGTERM');
    while (await takesConnections(Number(port)));
    socket.write(`Authorization: Bearer ${apiKey}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    await once(socket, 'close');
    expect(said).toContain('HTTP/1.1 200');
    expect(said).toContain('pending_agent_llm_action');
    expect(await ended).toBe(0);
  });

  test('a worker under SIGTERM finishes its segments and exits with 0', async () => {
    const worker = await start('worker');
    expect(await worker.stop('SIGTERM')).toBe(0);
  });
});

async function takesConnections(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('a process that cannot start', () => {
  test.each([
    ['REDIS_URL is not set', { REDIS_URL: '', BATON_DATA_DIR: '/nonexistent' }],
    ['PORT=http', { PORT: 'http' }],
    ['BATON_SECRET is not set', { BATON_SECRET: '' }],
    ['BATON_SECRET=(hidden)', { BATON_SECRET: 'short' }],
    ['BATON_SECRET_PREVIOUS=(hidden): secret 1 must', { BATON_SECRET_PREVIOUS: 'short' }],
    [
      'BATON_SECRET_PREVIOUS=(hidden): has the secret that',
      { BATON_SECRET_PREVIOUS: 'a secret of the tests' },
    ],
    ['BATON_SECRET_PREVIOUS_FILE=/nowhere', { BATON_SECRET_PREVIOUS_FILE: '/nowhere' }],
    ['BATON_SECRET_FILE=/nowhere', { BATON_SECRET: '', BATON_SECRET_FILE: '/nowhere' }],
  ])('names what is wrong and exits with 78: %s', async (message, wrong) => {
    await expect(start('gateway', wrong)).rejects.toThrow(message);
    await expect(start('gateway', wrong)).rejects.toThrow('(78)');
  });

  test('never starts on a Redis with an evicting maxmemory-policy, and names it', async () => {
    const evicting = await startPrivateRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    await expect(start('worker', { REDIS_URL: evicting.url })).rejects.toThrow(
      'maxmemory-policy allkeys-lru',
    );
    await evicting.stop();
  });
});
