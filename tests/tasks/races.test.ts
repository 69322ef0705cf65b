import { randomSeed } from '@baton/protocol/testing/random-seed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, successAnswer } from '../harness/mcp-client.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { TaskFixture } from './task-fixture.ts';

/**
 * Ends of one task that meet on two replicas: one of them counts, whoever sent it is told so, everyone else is told how the task
 * has ended, and every wait gives that end.
 */
let fixture: TaskFixture;
beforeAll(async () => {
  fixture = await TaskFixture.start();
});
afterAll(() => fixture?.stop());

const ROUNDS = 40;

interface Reply {
  readonly end: string;
  /** Undefined where the end was taken; otherwise the status that the refusal tells. */
  readonly refused: string | undefined;
}

const refusalOf = (body: AnyJson): AnyJson =>
  body.error?.data ?? (body.result?.isError ? body.result.structuredContent.error : undefined);

/** An end of a task as a request; `end` is the text of what the task then shows. */
const ENDS = {
  'tasks/cancel': (taskId: string, _n: number) => ['tasks/cancel', { taskId }, 'task_cancelled'],
  cancel_task: (taskId: string, _n: number) => [
    'tools/call',
    { name: 'cancel_task', arguments: { taskId } },
    'task_cancelled',
  ],
  'tasks/cancel with a result': (taskId: string, n: number) => [
    'tasks/cancel',
    { taskId, result: { by: `end-${n}-` } },
    `end-${n}-`,
  ],
  complete_task: (taskId: string, n: number) => [
    'tools/call',
    { name: 'complete_task', arguments: { taskId, result: { by: `end-${n}-` } } },
    `end-${n}-`,
  ],
} as const satisfies Record<string, (taskId: string, n: number) => [string, object, string]>;

test(`of ends that meet one counts, and all replies and waits agree which, FC_SEED=${randomSeed}`, async () => {
  const random = seededRandom(`ends ${randomSeed}`);
  const winners = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const taskId = await fixture.workflowTask(random.below(2));
    const waits = [0, 1].map((at) => fixture.result('tasks/result', { taskId }, { at }));
    if (random.chance(0.5)) await fixture.held(taskId, 2);
    const kinds = Object.keys(ENDS) as (keyof typeof ENDS)[];
    const replies = await Promise.all(
      Array.from({ length: 2 + random.below(4) }, async (_, n): Promise<Reply> => {
        const [method, params, end] = ENDS[random.pick(kinds)](taskId, n);
        const { body } = await fixture.rpc(method, params, { at: random.below(2) });
        const refusal = refusalOf(body);
        if (refusal !== undefined) expect(refusal.code).toBe('task_ended');
        return { end, refused: refusal?.status };
      }),
    );
    const taken = replies.filter(({ refused }) => refused === undefined);
    expect(taken).toHaveLength(1);
    const [{ end }] = taken as [Reply];
    const status = end === 'task_cancelled' ? 'cancelled' : 'completed';
    winners.add(status);
    for (const { refused } of replies) expect(refused ?? status).toBe(status);
    for (const result of await Promise.all(waits)) expect(JSON.stringify(result)).toContain(end);
    expect(await fixture.result('tasks/get', { taskId })).toMatchObject({ status });
  }
  expect([...winners].toSorted()).toEqual(['cancelled', 'completed']);
}, 120_000);

test(`an answer and a cancellation of an operation that meet leave one end, FC_SEED=${randomSeed}`, async () => {
  const random = seededRandom(`answers ${randomSeed}`);
  const ends = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const { taskId, interactionId } = await fixture.echo(`race ${round}`, random.below(2));
    const held = fixture.result('tasks/result', { taskId }, { at: random.below(2) });
    const answer = () =>
      fixture.rpc('tools/call', {
        name: 'agent_llm',
        arguments: { interactionId, agentLLMResponse: successAnswer({ object: { value: 'answered' } }) },
      });
    const cancel = async () => {
      // Some come before the answer, some while its segment runs, some after its end.
      for (let turns = random.below(12); turns > 0; turns--) await new Promise(setImmediate);
      return fixture.rpc('tasks/cancel', { taskId }, { at: 1 });
    };
    const [, { body }] = await Promise.all([answer(), cancel()]);
    const result = await held;
    const { status } = await fixture.result('tasks/get', { taskId });
    ends.add(status);
    expect(['completed', 'cancelled']).toContain(status);
    expect(result.structuredContent).toMatchObject(
      status === 'completed' ? { value: 'answered' } : { error: { code: 'task_cancelled' } },
    );
    expect(body.error?.data.status ?? body.result.status).toBe(status);
  }
}, 120_000);
