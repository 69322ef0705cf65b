import { syntheticOperations } from '@baton/operations';
import { afterEach, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient, callToolForError } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** Two releases side by side: the newer one has another version of a program, and still has the one that may be parked. */
const echo = syntheticOperations.get('bench_echo')!;
const OLD = new Map([['bench_echo', echo]]);
const newer = {
  ...echo,
  version: 2,
  *run(input: Parameters<typeof echo.run>[0]) {
    const { value } = (yield* echo.run(input)) as { value: string };
    return { value: `${value}, by the newer one` };
  },
};
const NEW = new Map([
  ['bench_echo', newer],
  ['bench_echo 1', echo],
]);
const NONE = new Map();

let baton: InProcessDeployment;
afterEach(() => baton.stop());

const deployed = async () => {
  baton = await InProcessDeployment.start({ gateways: 0, workers: 0 });
};
const gatewayOf = async (programs: typeof OLD) =>
  connectMcpClient((await baton.addGateway(programs)).url, baton.apiKey);
const ask = async (client: Awaited<ReturnType<typeof gatewayOf>>) =>
  callTool(client, 'bench_echo', { text: 'x' });
const answer = (client: Awaited<ReturnType<typeof gatewayOf>>, interactionId: string, waitMs = 20_000) =>
  callTool(client, 'agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'v' }), waitMs });

test('workers upgraded first: parked tasks resume on a worker with their version, and new tasks start in the newest version that a worker has', async () => {
  await deployed();
  const old = await gatewayOf(OLD);
  await baton.addWorker(OLD);
  const parkedByOld = await ask(old);
  await baton.addWorker(NEW);
  const current = await gatewayOf(NEW);
  await expect
    .poll(async () => (await answer(current, (await ask(current)).interactionId)).outcome.result?.value, {
      timeout: 20_000,
    })
    .toBe('v, by the newer one');
  expect((await answer(current, parkedByOld.interactionId)).outcome).toMatchObject({
    status: 'completed',
    result: { value: 'v' },
  });
  // The old worker is asked as often as the new one, and takes none of it down.
  for (let n = 0; n < 10; n++)
    expect((await answer(old, (await ask(current)).interactionId)).outcome).toMatchObject({
      status: 'completed',
      result: { value: 'v, by the newer one' },
    });
}, 90_000);

test('gateways upgraded first: a newer gateway starts the old version until a newer worker runs', async () => {
  await deployed();
  await baton.addWorker(OLD);
  const current = await gatewayOf(NEW);
  const parked = await ask(current);
  expect((await answer(current, parked.interactionId)).outcome).toMatchObject({ result: { value: 'v' } });
  await baton.addWorker(NEW);
  await expect
    .poll(async () => (await answer(current, (await ask(current)).interactionId)).outcome.result?.value, {
      timeout: 20_000,
    })
    .toBe('v, by the newer one');
}, 60_000);

test('an answer whose program no worker has waits for a worker with it, and never counts as an attempt', async () => {
  await deployed();
  const current = await gatewayOf(NEW);
  const parked = await ask(current);
  await baton.addWorker(OLD);
  const { taskId } = await answer(current, parked.interactionId, 0);
  await expect
    .poll(async () => baton.workers[0]!.metrics.registry.metrics(), { timeout: 10_000 })
    .toMatch(/baton_resumed_tasks_total\{end="held"\} 1/);
  expect(await callTool(current, 'task_status', { taskId, waitMs: 6_000 })).toMatchObject({
    status: 'working',
  });
  await baton.addWorker(NEW);
  expect(await callTool(current, 'task_status', { taskId, waitMs: 20_000 })).toMatchObject({
    status: 'completed',
    result: { value: 'v, by the newer one' },
  });
}, 60_000);

test('a call whose program no running worker has is refused with program_unavailable; without any worker it is parked', async () => {
  await deployed();
  const client = await gatewayOf(OLD);
  const parked = await ask(client);
  expect(parked.status, 'no worker lives').toBe('pending_agent_llm_action');
  await baton.addWorker(NONE);
  const refused = () => callToolForError(client, 'bench_echo', { text: 'x' }).catch(() => undefined);
  await expect.poll(refused, { timeout: 10_000 }).toMatchObject({ code: 'program_unavailable' });
  expect((await refused()).message).toContain('Repeat the call');
  await baton.addWorker(OLD);
  await expect
    .poll(async () => (await ask(client).catch(() => ({}))).status, { timeout: 10_000 })
    .toBe('pending_agent_llm_action');
}, 60_000);
