import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { findProjectViolations } from '../../harness/guards/stored-projects.ts';
import { type AnyJson, callTool, successAnswer } from '../../harness/mcp-client.ts';
import { type ConcurrentStep, FIRST_TASKS, STEP_KINDS } from './concurrent-steps.ts';

/** A deployment of two replicas, with a client of each, its key, and its Redis. */
export interface ConcurrentTarget {
  readonly clients: readonly Client[];
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly redis: Redis;
  readonly redisUrl: string;
}

interface StepEnd {
  readonly step: ConcurrentStep;
  /** Why it failed; undefined when it completed. */
  readonly code: string | undefined;
  readonly commits: number;
  /** The marks that it has put into calls and answers. */
  readonly marks: readonly string[];
}

/**
 * Sends a call, or twice the same at once. What both of them started is the same; one may be refused before it starts anything, and
 * the other one find the project changed by then.
 */
async function start(
  { clients }: ConcurrentTarget,
  step: ConcurrentStep,
  projectRoot: string,
  mark: string,
): Promise<AnyJson> {
  const { tool, args } = STEP_KINDS[step.kind]!;
  const replicas = step.startsTwice ? [step.replica, step.replica + 1] : [step.replica];
  const replies = await Promise.all(
    replicas.map((replica) =>
      callTool(
        clients[replica % 2]!,
        tool,
        { projectRoot, ...args(step, mark) },
        { 'baton/idempotencyKey': mark },
      ),
    ),
  );
  const begun = replies.filter(({ error }) => error === undefined);
  expect(new Set(begun.map(({ taskId }) => taskId)).size, 'it is started once').toBeLessThanOrEqual(1);
  return begun[0] ?? replies[0];
}

async function runStep(
  target: ConcurrentTarget,
  step: ConcurrentStep,
  projectRoot: string,
  mark: string,
): Promise<StepEnd> {
  const at = (replica: number) => target.clients[replica % 2]!;
  const { answer } = STEP_KINDS[step.kind]!;
  const first = await start(target, step, projectRoot, mark);
  if (answer === undefined || first.taskId === undefined || first.status === 'completed') {
    const commits = first.error ? 0 : (first.expandedCount ?? 1);
    return { step, code: first.error?.code, commits, marks: answer === undefined ? [mark] : [] };
  }
  const marks: string[] = [];
  const answered = new Set<string>();
  let wrong = step.wrongFirst;
  for (;;) {
    const stands = await callTool(at(step.replica), 'task_status', { taskId: first.taskId, waitMs: 5_000 });
    if (stands.status !== 'working' && stands.status !== 'input_required')
      return {
        step,
        code: stands.error?.code,
        commits: stands.error ? 0 : (stands.result.expandedCount ?? 1),
        marks,
      };
    const open: { interactionId: string }[] =
      stands.pendingInteractions ?? (stands.pending ? [stands.pending] : []);
    const next = open.findLast(({ interactionId }) => !answered.has(interactionId));
    if (next === undefined) continue;
    const { interactionId } = next;
    answered.add(interactionId);
    const { interactions } = await callTool(at(step.replica), 'pending_interactions', { interactionId });
    const own = `${mark}${answered.size};`;
    const data = wrong ? { object: 'no object' } : answer(interactions[0].llmRequestForAgent, own);
    if (!wrong) marks.push(own);
    wrong = false;
    const post = (replica: number) =>
      callTool(at(replica), 'agent_llm', {
        interactionId,
        agentLLMResponse: successAnswer(data),
        waitMs: 5_000,
      });
    const posts = await Promise.all(
      step.answersTwice ? [post(step.replica), post(step.replica + 1)] : [post(step.replica + 1)],
    );
    for (const posted of posts) expect(posted.error, JSON.stringify(posted.error)).toBeUndefined();
    expect(posts.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
  }
}

async function exported({ urls, apiKey }: ConcurrentTarget, projectRoot: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return (await fetch(`${urls[1]}/v1/projects/${projectRoot}`, { headers })).text();
}

async function plan({ urls, apiKey }: ConcurrentTarget, projectRoot: string): Promise<void> {
  const tasks = Array.from({ length: FIRST_TASKS }, (_, n) => ({
    id: n + 1,
    title: `Task ${n + 1}`,
    description: 'd',
    subtasks: n < 2 ? [{ id: 1, title: 'Part', description: 'd' }] : [],
  }));
  const response = await fetch(`${urls[0]}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  expect(response.status).toBe(200);
}

/** Failures that others at once may cause. */
const EXPECTED = [
  'project_task_not_found',
  'project_task_done',
  'dependency_cycle',
  'invalid_arguments',
  'task_id_taken',
];

/**
 * Runs the steps at once on a project of its own, and expects that it keeps its invariants and that each step has committed exactly
 * once: by what the project holds of each step's mark, and by its version.
 */
export async function runAtOnce(
  target: ConcurrentTarget,
  steps: readonly ConcurrentStep[],
  projectRoot: string,
): Promise<void> {
  const version = async () =>
    Number(await target.redis.hget(`baton:{s0}:t:acme:project:${projectRoot}`, 'v'));
  await plan(target, projectRoot);
  const before = await version();
  const ends = await Promise.all(
    steps.map(async (step, n) => runStep(target, step, projectRoot, `${projectRoot}-${n};`)),
  );

  const codes = ends.flatMap(({ code }) => code ?? []);
  expect(codes.filter((code) => !EXPECTED.includes(code))).toEqual([]);
  const file = await exported(target, projectRoot);
  for (const { step, code, marks, commits } of ends) {
    const expected = STEP_KINDS[step.kind]!.marks;
    if (expected === undefined) continue;
    const found = marks.map((mark) => file.split(mark).length - 1);
    const whole = `${step.kind} ${code ?? 'completed'}: ${marks.join(' ')}`;
    expect(
      found.filter((times) => times > 1),
      whole,
    ).toEqual([]);
    const sum = found.reduce((all, times) => all + times, 0);
    expect(sum, whole).toBe(expected * commits);
  }
  // An update commits once an answer at most: not at all where nothing is to change, and nothing where its task is gone.
  const [updates, others] = [true, false].map((isUpdate) =>
    ends.filter(({ step }) => (STEP_KINDS[step.kind]!.marks === undefined) === isUpdate),
  ) as [StepEnd[], StepEnd[]];
  const least = before + others.reduce((sum, { commits }) => sum + commits, 0);
  const versions = await version();
  expect(versions, 'each commit is one version').toBeGreaterThanOrEqual(least);
  expect(versions).toBeLessThanOrEqual(least + updates.reduce((sum, { marks }) => sum + marks.length, 0));
  expect((await findProjectViolations(target.redisUrl)).violations).toEqual([]);
}
