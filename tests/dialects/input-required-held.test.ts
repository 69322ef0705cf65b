import { expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { ENVELOPE, requestOf2026 } from './client-of-2026.ts';
import { sampled } from './sampling-client.ts';

/** Calls whose work takes longer than a request may be held. Without a worker nothing goes on. */
const META = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };

test('a call whose work goes on is held for 25 s, then repeated without a question, and ends at another replica', async () => {
  const baton = await InProcessDeployment.start({ gateways: 2, workers: 0 });
  const send = async (params: AnyJson, at: number): Promise<AnyJson> => {
    const call = { name: 'bench_fan', arguments: { n: 2 }, ...params };
    return (await requestOf2026(baton.url(at), baton.apiKey, 'tools/call', call, { meta: META })).body.result;
  };
  const asked = await send({}, 0);
  const inputResponses = Object.fromEntries(
    Object.keys(asked.inputRequests).map((key) => [key, sampled({ value: 'v' })]),
  );
  const held = await send({ requestState: asked.requestState, inputResponses }, 0);
  expect(held).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  expect(held).not.toHaveProperty('inputRequests');
  const [done] = await Promise.all([send({ requestState: held.requestState }, 1), baton.addWorker()]);
  expect(done).toMatchObject({ resultType: 'complete', structuredContent: { values: ['v', 'v'] } });
  await baton.stop();
});
