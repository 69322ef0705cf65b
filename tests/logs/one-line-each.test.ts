import { createLogger } from '@baton/gateway';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { ProviderFixture } from '../providers/provider-fixture.ts';

/** What a gateway's call waits for and a worker does has one line, whichever of the two it is. */
const lines: AnyJson[] = [];
let fixture: ProviderFixture;
beforeAll(async () => {
  const log = createLogger('info', {}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  fixture = await ProviderFixture.start({ workers: 1, log });
  fixture.llm.behaviour = () => VALID_ANSWER;
});
afterAll(() => fixture?.stop());
beforeEach(() => void lines.splice(0));

const told = () => lines.filter(({ event }) => event !== undefined);

test('a change of a project, which a worker commits', async () => {
  await fixture.call('add_task', { projectRoot: 'shop', title: 'A basket', description: 'To pay.' });
  expect(told()).toMatchObject([{ event: 'ended', operation: 'add_task', status: 'completed' }]);
});

test('an operation that has nothing to ask, whose task a worker ends', async () => {
  await fixture.call('initialize_project', { projectRoot: 'empty' });
  const { taskId, ...reply } = await fixture.call('expand_all', { projectRoot: 'empty' });
  expect(reply).toMatchObject({ status: 'completed', operation: 'expand_all' });
  expect((await fixture.call('task_status', { taskId })).status).toBe('completed');
  expect(told()).toMatchObject([{ event: 'ended', operation: 'expand_all', status: 'completed', taskId }]);
});

test('a call that is repeated under its idempotency key', async () => {
  const call = () =>
    callTool(fixture.client, 'bench_echo', { text: 'once' }, { 'baton/idempotencyKey': 'one' });
  const { taskId } = await call();
  expect(await call()).toMatchObject({ taskId });
  expect(told()).toMatchObject([{ event: 'parked', tool: 'bench_echo', taskId }]);
});

test('a call whose role names an endpoint', async () => {
  await fixture.putRole('main', { routes: [fixture.route()] });
  lines.splice(0);
  expect(await fixture.call('bench_echo', { text: 'by an endpoint' })).toMatchObject({ status: 'completed' });
  expect(told()).toMatchObject([{ event: 'ended', operation: 'bench_echo', status: 'completed' }]);
});

test('a call over REST whose endpoint fails', async () => {
  const later = { 'retry-after': '4' };
  fixture.llm.behaviour = ({ attempt }) =>
    attempt === 1 ? { do: 'refuse', status: 503, headers: later } : { do: 'refuse', status: 401 };
  const headers = {
    authorization: `Bearer ${fixture.baton.apiKey}`,
  };
  const url = `${fixture.baton.url()}/v1/tools/bench_echo`;
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"text":"x"}',
  });
  expect(await reply.text()).toContain('agent_error');
  // Between its attempts the task is parked. The worker's line and the gateway's come in either order.
  const byEvent = () =>
    told()
      .filter(({ event }) => event !== 'parked')
      .toSorted((a, b) => (a.event < b.event ? -1 : 1));
  await expect.poll(byEvent).toMatchObject([
    { event: 'ended', operation: 'bench_echo', status: 'failed' },
    { event: 'refused', code: 'agent_error', tenant: 'acme', tool: 'bench_echo' },
  ]);
});
