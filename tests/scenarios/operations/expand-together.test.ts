import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../../harness/mcp-client.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { countTokens } from '../../token-costs/token-count.ts';
import { answerUntilEnd } from './run-operation-to-end.ts';

/** expand_all with several tasks in each request, over two gateways and two workers. */
let baton: InProcessDeployment;
let clients: Client[];
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), baton.apiKey)));
});
afterAll(async () => {
  await Promise.all((clients ?? []).map((client) => client.close()));
  await baton?.stop();
});

const RULES = Array.from({ length: 12 }, (_, n) => `Rule ${n}: every screen works without a mouse.`);

async function start(projectRoot: string, perRequest: number): Promise<AnyJson> {
  const tasks = Array.from({ length: 10 }, (_, n) => ({ title: `Task ${n}`, description: 'Lend books.' }));
  await callTool(clients[0]!, 'initialize_project', { projectRoot, tasks, rules: RULES });
  return callTool(clients[0]!, 'expand_all', { projectRoot, perRequest, atOnce: 2 });
}

test.each([1, 2, 3])(
  'each task is split once, whatever answers leave out or get wrong: seed %i',
  async (seed) => {
    const projectRoot = `together-${seed}`;
    const { taskId, pendingInteractions } = await start(projectRoot, 4);
    expect(pendingInteractions.map(({ summary }: AnyJson) => summary)).toEqual([
      'Split tasks 1, 2, 3, 4',
      'Split tasks 5, 6, 7, 8',
    ]);
    const agent = createScriptedAgent({
      seed: `together ${seed}`,
      wrongRate: 0.3,
      faults: ['missing_field', 'half_json'],
    });
    // Every other answer leaves out its last task.
    let answers = 0;
    const forgetful = {
      ...agent,
      answer: (request: Parameters<typeof agent.answer>[0]) => {
        const answer = agent.answer(request) as AnyJson;
        const expansions = answer.data?.object?.expansions ?? answer.data?.expansions;
        if (answers++ % 2 === 0 && expansions?.length > 1) expansions.pop();
        return answer;
      },
    };
    const end = await answerUntilEnd(clients, forgetful, taskId);
    const { result } = end;
    const ids = [...result.expanded, ...result.failed].map(({ id }: AnyJson) => id);
    expect(ids.toSorted((a: number, b: number) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { tasks } = await callTool(clients[1]!, 'get_tasks', { projectRoot, withSubtasks: true });
    const split = new Map(result.expanded.map(({ id, subtasksAdded }: AnyJson) => [id, subtasksAdded]));
    for (const { id, subtasks = [] } of tasks)
      expect([id, subtasks.length]).toEqual([id, split.get(id) ?? 0]);
  },
);

test('five tasks in a request cost less than half of the tokens of five requests', async () => {
  const requestsOf = async (perRequest: number) => {
    const { taskId } = await start(`costs-${perRequest}`, perRequest);
    let tokens = 0;
    const agent = createScriptedAgent({ seed: 1 });
    const counted = {
      ...agent,
      answer: (request: Parameters<typeof agent.answer>[0]) => {
        tokens += countTokens(request);
        return agent.answer(request);
      },
    };
    expect(await answerUntilEnd(clients, counted, taskId)).toMatchObject({ result: { expandedCount: 10 } });
    return tokens;
  };
  const [alone, together] = [await requestsOf(1), await requestsOf(5)];
  expect(together).toBeLessThan(alone / 2);
});
