import { rewindProgram, parseEntry } from '@baton/engine';
import { syntheticOperations } from '@baton/operations';
import { CallerSchemaValidator, Programs, resumeTask } from '@baton/runner';
import { createWorkerShards, type WorkerShard } from '@baton/store/shards';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { FATAL } from './retry-fixture.ts';

/** A worker that is killed after a retry, wherever it stood: this test runs the jobs itself, and no worker runs. */
let baton: InProcessDeployment;
let shard: WorkerShard;
let client: Awaited<ReturnType<typeof connectMcpClient>>;
const check = new CallerSchemaValidator();
const programs = new Programs(syntheticOperations);

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
  [shard] = createWorkerShards(baton.store) as [WorkerShard];
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(async () => {
  await check.close();
  await baton.stop();
});

// Job numbers that no script assigns.
let jobs = 1_000;
const call = (name: string, args: object): Promise<AnyJson> => callTool(client, name, args);
const job = (number: number) => ({ tenant: 'acme', list: 'ready' as const, number, tasks: [] });

/** What a run of the job has of its batch: its one task, loaded behind a new fence. */
async function take(number: number) {
  const batch = await shard.dequeue(job(number), programs.names);
  if (batch.kind === 'no_program') throw new Error('it has the program');
  const { segments } = await shard.load('acme', number, batch.notLoaded);
  const [segment] = segments;
  if (segment === undefined) throw new Error(`job ${number} has no task`);
  return segment;
}
const run = async (number: number) =>
  (await resumeTask(programs, check, shard, await take(number), false, () => {})).kind;

test.each([
  ['before its journal is taken back', false],
  ['after its journal was taken back', true],
])(
  'a worker that is killed %s leaves a retry that the next one brings to the same request, once',
  async (_when, rewinds) => {
    const { taskId } = await call('bench_fan', { n: 2 });
    const { pendingInteractions: asked } = await call('task_status', { taskId });
    const answer = (interactionId: string, agentLLMResponse: object) =>
      call('agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
    await answer(asked[0].interactionId, successAnswer({ object: { value: 'kept' } }));
    await answer(asked[1].interactionId, FATAL);
    expect(await run(++jobs)).toBe('failed');

    await call('retry_task', { taskId, waitMs: 0 });
    const killed = await take(++jobs);
    expect(killed.task.toRewind).toBe(true);
    const journal = new Map([...killed.task.journal].map(([path, text]) => [path, parseEntry(text)]));
    const program = programs.find('bench_fan', 1);
    if (program === undefined) throw new Error('there is such a program');
    const { drops, journal: entries } = rewindProgram(program, killed.task.input as never, journal);
    expect(drops.length).toBeGreaterThan(0);
    if (rewinds) expect(await killed.rewind(drops, entries)).toBe('rewound');

    // BullMQ runs the job of a dead worker again; by then the dead one may still write, and is refused.
    expect(await run(jobs)).toBe('parked');
    expect(await killed.rewind(drops, entries)).toBe('stale');
    const { pending, pendingInteractions, status } = await call('task_status', { taskId });
    expect([status, pendingInteractions]).toEqual(['input_required', undefined]);
    expect(pending.attempt).toBe(1);
    await answer(pending.interactionId, successAnswer({ object: { value: 'new' } }));
    expect(await run(++jobs)).toBe('completed');
    expect((await call('task_status', { taskId })).result.values).toEqual(['kept', 'new']);
  },
);
