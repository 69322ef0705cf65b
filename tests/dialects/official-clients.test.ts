import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { startGatewayBeside } from '../processes/gateway-beside.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { REVISION, standardHeaders, TASKS } from './client-of-2026.ts';
import { connectSamplingClient, sampled } from './sampling-client.ts';

/** Each official client does a whole delegation over two replicas, of which the first is killed half-way. That of the first generation is in sampling-streams.test.ts. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
});
afterAll(async () => baton?.stop());

/** A proxy in front of a replica that `kill` ends, with the other one in its place from then on. */
async function startDoomed() {
  const doomed = await startGatewayBeside(baton);
  const targets = [doomed.url];
  const proxy = await RoundRobinProxy.start(() => targets);
  let asked = 0;
  return {
    proxy,
    async kill() {
      targets[0] = baton.url(0);
      await doomed.stop('SIGKILL');
    },
    /** A model whose first answer is given after the replica that asked was killed. */
    async model(): Promise<AnyJson> {
      if (++asked === 1) await this.kill();
      return sampled({ value: `answer ${asked}` });
    },
  };
}

test.each([
  ['legacy', { 'baton/dialect': 'sampling' }],
  ['auto', {}],
  [{ pin: REVISION }, {}],
] as const)(
  'the client of the second generation, in its mode %j',
  async (mode, _meta) => {
    const doomed = await startDoomed();
    const client = await connectSamplingClient(doomed.proxy.url, baton.apiKey, mode, () => doomed.model());
    const done: AnyJson = await client.callTool({ name: 'bench_fan', arguments: { n: 3 }, _meta });
    expect(done.structuredContent.values.length).toBe(3);
    await client.close();
    await doomed.proxy.stop();
  },
  60_000,
);

test('the client of the extension for tasks', async () => {
  const doomed = await startDoomed();
  const capabilities = { sampling: {}, elicitation: {}, extensions: { [TASKS]: {} } };
  const clientInfo = { name: 'ext-tasks', version: '1' };
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: REVISION } }, capabilities });
  const requestInit = { headers: { authorization: `Bearer ${baton.apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${doomed.proxy.url}/mcp`), { requestInit }),
  );
  let id = 0;
  const session = createTaskSessionFromClient(client, {
    endpointId: 'baton',
    v2RequestFraming: { protocolVersion: REVISION, clientInfo, clientCapabilities: capabilities },
    async rawDispatch(request) {
      const { method, params } = request as AnyJson;
      const body = { jsonrpc: '2.0', id: ++id, method, params };
      const headers = standardHeaders(method, params);
      const reply = (await postJsonRpc(doomed.proxy.url, baton.apiKey, body, headers)).body;
      return reply.error === undefined
        ? { kind: 'result', result: reply.result }
        : { kind: 'error', error: reply.error };
    },
    onInputRequest: async ({ kind }) =>
      (kind === 'sampling' ? doomed.model() : { action: 'accept', content: { ok: true } }) as never,
  });
  for (const [name, args, result] of [
    ['bench_fan', { n: 3 }, { values: expect.any(Array) }],
    ['bench_confirm', { question: 'Shall it go on?' }, { action: 'accept', content: { ok: true } }],
  ] as const) {
    const execution = await session.callTool(name, args);
    const { outcome } = await execution.settle();
    expect((resultFromTaskOutcome(outcome) as AnyJson).structuredContent).toMatchObject(result);
  }
  await session.close();
  await client.close();
  await doomed.proxy.stop();
}, 60_000);

test("the Inspector's command line, whose answer goes to the other replica", async () => {
  const doomed = await startDoomed();
  const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/build/index.js'));
  const call = async (tool: string, args: Readonly<Record<string, string>>): Promise<AnyJson> => {
    const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
    const header = `Authorization: Bearer ${baton.apiKey}`;
    const all = [inspector, `${doomed.proxy.url}/mcp`, '--transport', 'http', '--header', header];
    const method = ['--method', 'tools/call', '--tool-name', tool, ...given];
    // It looks for its own version below the folder that it runs in.
    const child = spawn(process.execPath, [...all, ...method], { cwd: dirname(inspector) });
    const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (said === '') throw new Error(complaints);
    return JSON.parse(said).structuredContent;
  };
  const { interactionId } = await call('bench_echo', { text: 'hello' });
  await doomed.kill();
  const agentLLMResponse = JSON.stringify(successAnswer({ object: { value: 'answered' } }));
  const { outcome } = await call('agent_llm', { interactionId, agentLLMResponse });
  expect(outcome).toMatchObject({ status: 'completed', result: { value: 'answered' } });
  await doomed.proxy.stop();
}, 60_000);
