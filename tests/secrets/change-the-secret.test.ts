import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPrivateRedis } from '@baton/local-redis';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';
import { GATEWAY_READY_LINE, WORKER_READY_LINE } from '../processes/baton-process.ts';
import { OperatorFolder, type RunningCommand } from './operator-folder.ts';

/**
 * The runbook of docs/operating.md, its commands as they are written, with two gateways and a worker that are replaced one after the
 * other in each step while clients go on calling: a session, a cursor, parked work, keys, and keys of LLM endpoints.
 */
const OPERATOR = 'at-least-16-characters';
const MINUTES = 180_000;
const [setup = '', knowNew = '', sealWithNew = '', moveAndDrop = ''] = codeBlocksUnder('Change the secret');
const [makeFolder = '', gatewayCommand = '', workerCommand = ''] = setup.trim().split('\n');
const [reseal = '', dropOld = ''] = moveAndDrop.trim().split('\n');

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let folder: OperatorFolder;
let llm: FakeLlmServer;
const gateways: RunningCommand[] = [];
let worker: RunningCommand;
const clients: Client[] = [];
let going = true;

/** The same command at the tests' Redis, with a port of its own. */
const here = (command: string) =>
  command.replaceAll('redis://127.0.0.1:6379', redis.url).replaceAll('PORT=8080', 'PORT=0');
const urlOf = (gateway: RunningCommand | undefined) => gateway?.match[1] ?? '';
const startGateway = () => folder.start(here(gatewayCommand), GATEWAY_READY_LINE);
const startWorker = () => folder.start(here(workerCommand), WORKER_READY_LINE);

const secretFile = (name: string) => join(folder.path, 'secrets', name);

async function type(command: string): Promise<void> {
  const { code, said } = await folder.run(here(command));
  expect([code, said], command).toEqual([0, '']);
  const readable = ['.', ...readdirSync(secretFile('.'))].filter(
    (name) => (statSync(secretFile(name)).mode & 0o077) !== 0,
  );
  expect(readable, `others may read them after: ${command}`).toEqual([]);
}

let turn = 0;
/** A load balancer without affinity: each request goes to the next gateway. */
const balanced: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  return fetch(`${urlOf(gateways[turn++ % gateways.length])}${pathname}${search}`, init);
};

async function connect(key: string): Promise<Client> {
  const client = await connectMcpClient('http://balanced', key, balanced);
  clients.push(client);
  return client;
}

async function rest(method: string, path: string, key: string, body?: object): Promise<AnyJson> {
  const response = await balanced(`http://balanced/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const makeKey = async (name: string, scopes = ['mcp']) =>
  (await rest('POST', '/tenants/acme/keys', OPERATOR, { name, scopes, principal: name })).body.key as string;

const delegate = (client: Client, role: string, text: string) =>
  callTool(client, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'x',
      role,
      serviceType: 'generateText',
      requestParameters: { messages: [{ role: 'user', content: text }] },
    },
  });

/** Each process is replaced: the new one takes requests before the former goes. `mixed` runs when one gateway is of the new step. */
async function replaceAll(mixed: () => Promise<void>): Promise<void> {
  for (let at = 0; at < 2; at++) {
    const next = await startGateway();
    const [former] = gateways.splice(0, 1);
    gateways.push(next);
    await former?.end();
    if (at === 0) await mixed();
  }
  const former = worker;
  worker = await startWorker();
  await former.end();
}

beforeAll(async () => {
  redis = await startPrivateRedis({});
  llm = await FakeLlmServer.start();
  folder = new OperatorFolder();
  await type(makeFolder);
  // Without a line break at its end, as `printf` and secret stores write it.
  writeFileSync(secretFile('current'), 'the secret that is to be changed');
  gateways.push(await startGateway(), await startGateway());
  worker = await startWorker();
}, MINUTES);
afterAll(async () => {
  going = false;
  await Promise.all(clients.map((client) => client.close().catch(() => {})));
  await folder?.end();
  await llm?.close();
  await redis?.stop();
});

test('the first command makes the secret that is missing, and keeps one that is there', async () => {
  const other = new OperatorFolder();
  const read = async (before = '') => {
    const { said } = await other.run(`umask 022; ${before}${makeFolder} && cat secrets/current`);
    return said;
  };
  const made = await read();
  expect(made).toMatch(/^\w{48}\n$/);
  expect(await read('BATON_SECRET=of-the-environment; ')).toBe(made);
  await other.run('rm secrets/current');
  expect(await read('BATON_SECRET=of-the-environment; ')).toBe('of-the-environment\n');
  await other.end();
});

test('the runbook changes the secret while nobody is signed out', { timeout: MINUTES }, async () => {
  const limits = { requestsPerSecond: 10_000, burst: 10_000 };
  await rest('POST', '/tenants', OPERATOR, { id: 'acme', limits });
  const keys = {
    ann: await makeKey('ann'),
    sleeper: await makeKey('sleeper'),
    admin: await makeKey('admin', ['admin', 'agent']),
  };
  const endpoint = { kind: 'openai', baseUrl: llm.url, modelId: 'm', apiKey: 'sk-of-the-endpoint' };
  for (const role of ['research', 'fallback'])
    expect((await rest('PUT', `/roles/${role}`, keys.admin, { routes: [endpoint] })).status).toBe(200);

  // What is to survive: a session, parked work, a cursor, endpoint keys.
  const ann = await connect(keys.ann);
  const parked = await delegate(ann, 'main', 'parked before');
  for (let n = 0; n < 110; n++) await delegate(ann, 'main', `page ${n}`);
  const page = (await rest('GET', '/tasks', keys.admin)).body;
  expect(page.nextCursor).toEqual(expect.any(String));
  const turnThePage = async () =>
    (await rest('GET', `/tasks?cursor=${encodeURIComponent(page.nextCursor)}`, keys.admin)).status;
  const answerByEndpoint = async (role: string) => {
    const { taskId } = await delegate(ann, role, `asks for ${role}`);
    const { status, result } = await callTool(ann, 'task_status', { taskId, waitMs: 20_000 });
    expect([status, result?.toolResponseSource ?? 'answered']).toEqual(['completed', 'answered']);
  };
  await answerByEndpoint('research');

  // Somebody calls all the time: a call that is refused is one that was signed out.
  const refused: unknown[] = [];
  let calls = 0;
  const caller = (async () => {
    while (going) {
      await callTool(ann, 'next_task', { projectRoot: 'none' }).catch((error: unknown) =>
        refused.push(error),
      );
      const { status } = await rest('GET', '/tasks?status=failed', keys.admin).catch((status: unknown) => ({
        status,
      }));
      if (status !== 200) refused.push(status);
      if (refused.length > 0) break;
      calls += 2;
    }
  })();

  /** With one gateway of either step: what one has sealed and hashed, the other takes. */
  const sideBySide = async () => {
    for (const [made, used] of [gateways, gateways.toReversed()].map((two) => two.map(urlOf))) {
      const fresh = (await rest('POST', '/tenants/acme/keys', OPERATOR, { name: 'fresh', scopes: ['mcp'] }))
        .body.key;
      const initialize = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const opened = await postJsonRpc(made ?? '', fresh, {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: initialize,
      });
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      for (const url of [used, made, used])
        expect(
          (await postJsonRpc(url ?? '', fresh, { jsonrpc: '2.0', id: 2, method: 'ping' }, session)).status,
        ).toBe(200);
    }
    expect([await turnThePage(), await turnThePage()]).toEqual([200, 200]);
    await answerByEndpoint('research');
  };

  await type(knowNew);
  await replaceAll(sideBySide);
  await type(sealWithNew);
  await replaceAll(sideBySide);
  expect([await turnThePage(), await turnThePage()]).toEqual([200, 200]);
  await answerByEndpoint('research');
  const bob = await connect(await makeKey('bob'));

  const first = await folder.run(here(reseal));
  expect([first.code, first.said]).toEqual([
    1,
    expect.stringMatching(/the key \w+ \(sleeper\) has not called/),
  ]);
  expect(first.said, 'sealed anew by its use').not.toContain('research');
  expect(first.said).toContain('the endpoint keys of the role fallback are sealed anew');
  expect(first.said).not.toMatch(/\((ann|admin|bob)\)/);
  const unseen = first.said.split('\n').filter((line) => line.includes('has not called'));
  expect(unseen.every((line) => /\((sleeper|fresh)\)/.test(line))).toBe(true);
  await connect(keys.sleeper);
  const freshKeys = (await rest('GET', '/tenants/acme/keys', OPERATOR)).body.keys.filter(
    ({ name }: AnyJson) => name === 'fresh',
  );
  for (const { id } of freshKeys) await rest('DELETE', `/tenants/acme/keys/${id}`, OPERATOR);
  const second = await folder.run(here(reseal));
  expect([second.code, second.said]).toEqual([
    0,
    expect.stringContaining('Nothing needs a secret of BATON_SECRET_PREVIOUS'),
  ]);

  going = false;
  await caller;
  expect(refused).toEqual([]);
  expect(calls).toBeGreaterThan(50);

  // Step 3, without the 90 days: what was sealed by the former secret and not moved is over, and nothing else.
  await type(dropOld);
  await replaceAll(() => Promise.resolve());
  await expect(callTool(ann, 'next_task', { projectRoot: 'none' }), 'a session of before').rejects.toThrow(
    /session/i,
  );
  expect(await turnThePage(), 'a cursor of before').toBe(400);
  expect(await callTool(bob, 'pending_interactions', {}), 'a session of step 2').toMatchObject({
    interactions: [],
  });
  const again = await connect(keys.ann);
  await connect(keys.sleeper);
  const { outcome } = await callTool(again, 'agent_llm', {
    interactionId: parked.interactionId,
    agentLLMResponse: successAnswer({ text: 'an answer to what was parked before' }),
  });
  expect(outcome).toMatchObject({ status: 'completed' });
  for (const role of ['research', 'fallback']) {
    const { taskId } = await delegate(again, role, `asks for ${role} at last`);
    expect(await callTool(again, 'task_status', { taskId, waitMs: 20_000 })).toMatchObject({
      status: 'completed',
    });
  }
  const keysSeen = new Set(llm.calls.map(({ headers }) => headers.authorization));
  expect(keysSeen).toEqual(new Set(['Bearer sk-of-the-endpoint']));
  const without = await folder.run(here(reseal));
  expect([without.code, without.said]).toEqual([
    78,
    expect.stringContaining('BATON_SECRET_PREVIOUS is not set'),
  ]);
});
