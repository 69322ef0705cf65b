import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Store } from '../../packages/store/src/index.ts';
import { InProcessDeployment, OPERATOR_TOKEN, SECRET } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';

test('processes go on with a Redis that has lost its data, and record the number of its shards and their secret anew', async () => {
  const baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  const redis = new Redis(baton.redisUrl.replace('unix://', ''));
  await redis.flushall();
  await expect.poll(() => redis.hget('baton:{ops}:topology', 'shards'), { timeout: 10_000 }).toBe('1');
  await expect(Store.open({ url: baton.redisUrl, secret: SECRET, replica: 'r', shards: 4 })).rejects.toThrow(
    "BATON_SHARDS is 4, and this Redis holds Baton's data in 1",
  );

  expect(await redis.hget('baton:{ops}:topology', 'secrets'), 'and its secret').toMatch(/^\S+$/);

  const post = async (path: string, body: object): Promise<AnyJson> => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${baton.url()}/v1${path}`, init)).json();
  };
  await post('/tenants', { id: 'anew' });
  const { key } = await post('/tenants/anew/keys', { name: 'one', scopes: ['mcp'] });
  const client = await connectMcpClient(baton.url(), key);
  const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
  const { outcome } = await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ value: 'v' }),
    waitMs: 20_000,
  });
  expect(outcome.status).toBe('completed');
  await client.close();
  redis.disconnect();
  await baton.stop();
});
