import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { applyCommand } from '@baton/operations';
import { findInvariantViolations } from '@baton/operations/testing/project-invariants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { runOperationToEnd } from './run-operation-to-end.ts';

/** Operations and tools at once on one project, from both replicas, answered rightly and wrongly, by a seed. */
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1e9));
console.log(`together: SEED=${seed}`);

let baton: InProcessDeployment;
let clients: Client[];
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
});
afterAll(() => baton.stop());

const ROUNDS = 4;
const AT_ONCE = 12;

test("keep the project's invariants, and never change done work", {
  timeout: 240_000,
}, async () => {
  const projectRoot = 'together';
  const random = seededRandom(seed);
  const prd =
    'A shop that sells three kinds of tea. It has a basket and a checkout. It sends a letter of thanks.';
  const agent = createScriptedAgent({ seed, wrongRate: 0.3, errorRate: 0.02 });
  await runOperationToEnd(clients, createScriptedAgent({ seed }), 'parse_prd', {
    projectRoot,
    prd,
    numTasks: 8,
  });
  const id = () => 1 + random.below(12);
  type Move = () => [name: string, args: object];
  const operations: Move[] = [
    () => ['parse_prd', { prd, numTasks: 2, append: true }],
    () => ['analyze_project_complexity', {}],
    () => ['expand_task', { id: id(), force: random.chance(0.3), num: 3 }],
    () => ['expand_all', { num: 2, atOnce: 3, force: random.chance(0.2) }],
    () => ['update', { from: id(), prompt: 'Use SQLite.' }],
    () => ['update_task', { id: id(), prompt: 'Use SQLite.', append: random.chance(0.5) }],
    () => ['update_subtask', { id: `${id()}.${1 + random.below(4)}`, prompt: 'Learned something.' }],
    () => ['add_task', { prompt: 'A search.' }],
    () => ['add_task', { title: 'By hand', description: 'D', dependencies: `${id()}` }],
    () => ['add_dependency', { id: `${id()}`, dependsOn: `${id()}` }],
    () => ['fix_dependencies', {}],
  ];
  // These may touch what is done: people do what they like.
  const byHand: Move[] = [
    () => ['set_task_status', { id: `${id()}.${1 + random.below(3)}`, status: 'in-progress' }],
    () => ['move_task', { from: `${id()}`, to: `${id() + 20}` }],
    () => ['remove_task', { id: `${id()}` }],
  ];
  const codes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const before = await exported(projectRoot);
    const done = doneSubtasks(before);
    const chosen = Array.from({ length: AT_ONCE }, () =>
      random.pick(round % 2 ? [...operations, ...byHand] : operations)(),
    );
    const ends = await Promise.all(
      chosen.map(([name, args], at) =>
        runOperationToEnd(at % 2 ? [...clients].reverse() : clients, agent, name, {
          projectRoot,
          ...args,
        }).catch((thrown: unknown) => ({ status: 'failed', error: { code: `thrown: ${String(thrown)}` } })),
      ),
    );
    for (const end of ends) if (end?.error) codes.add(end.error.code);
    const file = await exported(projectRoot);
    const { project, outcome } = applyCommand(
      undefined,
      { command: 'import', file },
      new Date(0).toISOString(),
    );
    expect(findInvariantViolations(project), `SEED=${seed}`).toEqual([]);
    expect(outcome['repairs']).toEqual([]);
    const now = new Map(doneSubtasks(file).map((one) => [`${one.parent}: ${one.title}`, one]));
    for (const one of done) {
      if (round % 2) break;
      expect(now.get(`${one.parent}: ${one.title}`), `SEED=${seed}`).toEqual(one);
    }
    // What is done in between is what the next round must leave alone.
    for (const task of file.master.tasks.slice(0, 4)) {
      const [first] = task.subtasks;
      if (first && task.status !== 'done')
        await callTool(clients[0]!, 'set_task_status', {
          projectRoot,
          id: `${task.id}.${first.id}`,
          status: 'done',
        });
    }
  }
  const named = [
    'answer_invalid',
    'agent_error',
    'project_task_not_found',
    'project_task_done',
    'dependency_cycle',
    'invalid_arguments',
  ];
  expect(
    [...codes].filter((code) => !named.includes(code)),
    `SEED=${seed}`,
  ).toEqual([]);
});

async function exported(projectRoot: string): Promise<AnyJson> {
  const response = await fetch(`${baton.url(1)}/v1/projects/${projectRoot}`, {
    headers: { authorization: `Bearer ${baton.apiKey}` },
  });
  return response.json();
}

function doneSubtasks(file: AnyJson): AnyJson[] {
  return file.master.tasks.flatMap((task: AnyJson) =>
    task.subtasks
      .filter(({ status }: AnyJson) => status === 'done')
      .map((subtask: AnyJson) => ({ parent: task.id, ...subtask, dependencies: [] })),
  );
}
