import { median } from '../harness/statistics.ts';
import { tenSteps } from '../workflows/ten-step-workflow.ts';
import { callToolForContent, createProject, type Endpoint } from './processes/project-calls.ts';
import { sendJson } from './processes/minimal-http-client.ts';
import { RedisCallCounter, usedMemory } from '../harness/redis-traffic.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';

const PROJECT = 'shop';
const PARKED = 1_000;
const CALLS = 50;

/** Prints what a run of a workflow costs by its steps, what one that waits for its client takes, and what continuing it adds to a call. */
export async function measureAndPrintWorkflowCosts(runs: number): Promise<void> {
  const running = await RunningSubject.start(batonSubject());
  const { endpoint, redis } = running;
  await createProject(endpoint, PROJECT, 10);
  console.log(
    '| `prompts/get` of | ms | ms a step | Redis calls | Redis calls a step |\n| --- | --- | --- | --- | --- |',
  );
  const reading = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `s${at}`,
      tool: 'next_task',
      arguments: { projectRoot: PROJECT },
    }));
  const cases: [string, string, readonly object[]][] = [
    ['10 steps, 4 of which change the project', 'ten', tenSteps(PROJECT)],
    ['10 steps that read', 'ten_reading', reading(10)],
    ['100 steps that read', 'hundred_reading', reading(100)],
  ];
  for (const [title, name, steps] of cases) {
    await putWorkflow(endpoint, name, steps);
    const { ms, calls } = await measureRuns(running, name, runs * 10);
    const count = steps.length;
    const cells = [ms.toFixed(1), (ms / count).toFixed(2), calls.toFixed(1), (calls / count).toFixed(2)];
    console.log(`| ${title} | ${cells.join(' | ')} |`);
  }

  await putWorkflow(endpoint, 'parked', [
    { name: 'see', tool: 'next_task', arguments: { projectRoot: PROJECT } },
    { name: 'show', tool: 'get_task', arguments: { projectRoot: PROJECT, id: 77 } },
    { name: 'begin', tool: 'set_task_status', arguments: { projectRoot: PROJECT, id: 77, status: 'done' } },
  ]);
  for (let n = 0; n < PARKED / 4; n++) await getPrompt(endpoint, 'parked', 'working');
  const before = await usedMemory(redis.url);
  for (let n = 0; n < PARKED; n++) await getPrompt(endpoint, 'parked', 'working');
  const each = ((await usedMemory(redis.url)) - before) / PARKED;
  console.log(`\n${PARKED} workflows that wait for their client: ${each.toFixed(0)} bytes of Redis each`);

  const [plain, continuing] = await measureContinuation(running);
  console.log(
    `A call of a tool takes ${plain.toFixed(2)} Redis calls, one that continues a workflow ${continuing.toFixed(2)}`,
  );
  await running.end();
}

async function putWorkflow({ url, key }: Endpoint, name: string, steps: readonly object[]): Promise<void> {
  await sendJson(`${url}/v1/workflows/${name}`, key, { name, description: `do ${name}`, steps }, 'PUT');
}

/** Runs a workflow as a prompt; returns its task's id. Errors: when its status is another. */
async function getPrompt({ url, key }: Endpoint, name: string, status = 'completed'): Promise<string> {
  const text = await sendJson(`${url}/mcp`, key, {
    jsonrpc: '2.0',
    id: 1,
    method: 'prompts/get',
    params: { name },
  });
  const { result } = JSON.parse(text) as { result?: { _meta: { task_id: string; task_status: string } } };
  if (result?._meta.task_status !== status) throw new Error(`${name}: ${text.slice(-500)}`);
  return result._meta.task_id;
}

/** The median time of a run, and its Redis calls, which are counted apart: MONITOR slows Redis down. */
async function measureRuns({ endpoint, redis }: RunningSubject, name: string, runs: number) {
  for (let n = 0; n < runs; n++) await getPrompt(endpoint, name);
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const begun = performance.now();
    await getPrompt(endpoint, name);
    times.push(performance.now() - begun);
  }
  const counter = await RedisCallCounter.open(redis.url);
  for (let n = 0; n < runs; n++) await getPrompt(endpoint, name);
  return { ms: median(times), calls: (await counter.close()) / runs };
}

/** Redis calls of a plain call, and of the same call for a workflow that waits. */
async function measureContinuation({ endpoint, redis }: RunningSubject): Promise<[number, number]> {
  const taskId = await getPrompt(endpoint, 'parked', 'working');
  const count = async (meta: object) => {
    const counter = await RedisCallCounter.open(redis.url);
    for (let n = 0; n < CALLS; n++)
      await sendJson(`${endpoint.url}/mcp`, endpoint.key, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_task', arguments: { projectRoot: PROJECT, id: 5 }, _meta: meta },
      });
    return (await counter.close()) / CALLS;
  };
  await callToolForContent(endpoint, 'get_task', { projectRoot: PROJECT, id: 5 });
  return [await count({}), await count({ _task_id: taskId })];
}
