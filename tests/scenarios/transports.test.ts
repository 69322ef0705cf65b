import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';

let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
});
afterAll(() => baton.stop());

test('client scenarios run by the way that their run names: the fast path answers in JSON, the SDK in a stream', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_tasks', arguments: {} } };
  const { headers } = await postJsonRpc(baton.url(), baton.apiKey, call);
  const expected = process.env['TEST_TRANSPORT'] === 'sdk' ? 'text/event-stream' : 'application/json';
  expect(headers.get('content-type')).toContain(expected);
});
