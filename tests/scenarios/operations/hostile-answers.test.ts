import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { TASK_LIMITS, toolOperations } from '@baton/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { HOSTILE_ANSWERS, rightAnswer, rightValue } from './hostile-answers.ts';

/** Every operation of the catalogue gets every hostile answer over the wire. The guards hold its project after each. */
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1e9));
console.log(`hostile answers: SEED=${seed}`);

let baton: InProcessDeployment;
let one: Client;
let other: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 2,
    workers: 1,
    limits: { requestBytes: 4_194_304, answerBytes: 4_194_304 },
  });
  one = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(() => baton.stop());

/** One value for each argument that operations need; an operation is given those that its schema lists. */
const ARGUMENTS: Readonly<Record<string, unknown>> = {
  prd: 'A shop that sells three kinds of tea. It has a basket. It sends a letter of thanks.',
  append: true,
  numTasks: 3,
  num: 2,
  atOnce: 1,
  from: 1,
  id: 1,
  prompt: 'Use SQLite.',
  query: 'Which database?',
};
/** Where the same argument means another thing: with `append`, update_task asks for a text. */
const OWN_ARGUMENTS: Readonly<Record<string, object>> = {
  update_subtask: { id: '1.1' },
  update_task: { append: false },
};

function argumentsFor(name: string, tools: AnyJson[]): object {
  const { properties } = tools.find((tool) => tool.name === name).inputSchema;
  const known = Object.entries(ARGUMENTS).filter(([field]) => field in properties);
  return { ...Object.fromEntries(known), ...OWN_ARGUMENTS[name] };
}

const rest = async (method: string, projectRoot: string, body?: object): Promise<AnyJson> => {
  const response = await fetch(`${baton.url(1)}/v1/projects/${projectRoot}`, {
    method,
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
};
const subtask = (id: number) => ({ id, title: `Part ${id}`, description: 'What.' });
const BEFORE = {
  master: {
    tasks: [
      { id: 1, title: 'Tea', description: 'Three kinds.', subtasks: [subtask(1), subtask(2)] },
      { id: 2, title: 'Basket', description: 'A basket.', dependencies: [1] },
      { id: 3, title: 'Thanks', description: 'A letter.', dependencies: [2] },
    ],
  },
};

describe.each([...toolOperations.keys()])('%s', (operation) => {
  let started: object;
  beforeAll(async () => {
    started = argumentsFor(operation, (await one.listTools()).tools);
  });

  test.each(HOSTILE_ANSWERS)(
    'is answered with $name: $fate, and completes by a right answer',
    async ({ name, fate, data }) => {
      const projectRoot = `${operation}-${name.replaceAll(/\W/g, '-')}`;
      await rest('PUT', projectRoot, BEFORE);
      const imported = await rest('GET', projectRoot);
      const random = seededRandom(`${seed} ${projectRoot}`);
      const asked = await callTool(one, operation, { projectRoot, ...started });
      expect(asked.status, JSON.stringify(asked)).toBe('pending_agent_llm_action');
      const answered = async (client: Client, request: AnyJson, answer: unknown) => {
        const agentLLMResponse = successAnswer(answer);
        const { interactionId } = request;
        const args = { interactionId, agentLLMResponse, waitMs: 25_000, repeat: true };
        return (await callTool(client, 'agent_llm', args)).outcome;
      };
      const request = asked.llmRequestForAgent;

      const hostile = answered(other, asked, data(rightValue(request, random), random));
      let outcome: AnyJson;
      if (fate === 'refused') {
        await expect(hostile).rejects.toThrow('limit_size');
        expect(await callTool(one, 'task_status', { taskId: asked.taskId })).toMatchObject({
          pending: { interactionId: asked.interactionId },
        });
        outcome = await answered(one, asked, rightAnswer(request, random));
      } else {
        outcome = await hostile;
        const again = outcome.status === 'input_required' && outcome.pending.attempt > 1;
        const mustBe = request.schema === undefined ? 'taken or asked again' : fate;
        expect(mustBe, JSON.stringify(outcome).slice(0, 500)).toContain(again ? 'asked again' : 'taken');
        if (again) expect(await rest('GET', projectRoot), 'nothing is written meanwhile').toEqual(imported);
      }
      for (let turn = 0; turn < 20 && outcome.status === 'input_required'; turn++) {
        const { pending } = outcome;
        outcome = await answered(one, pending, rightAnswer(pending.llmRequestForAgent, random));
      }
      expect(outcome.status, `SEED=${seed} ${JSON.stringify(outcome).slice(0, 500)}`).toBe('completed');

      const after = (await rest('GET', projectRoot)).master.tasks;
      expect(after.length).toBeLessThanOrEqual(TASK_LIMITS.tasksPerTag);
      for (const task of BEFORE.master.tasks)
        expect(
          after.map(({ id }: AnyJson) => id),
          'no task is lost',
        ).toContain(task.id);
    },
  );
});
