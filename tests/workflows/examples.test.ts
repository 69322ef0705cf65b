import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sampleProject } from '../../apps/cli/src/dev/sample-project.ts';
import { sampleWorkflows } from '../../apps/cli/src/dev/sample-workflows.ts';
import { codeBlocksUnder } from '../docs/read-markdown-pages.ts';
import { callTool } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** The examples of the page, as they are written there, on the sample project of `baton dev`. */
const page = [
  ...codeBlocksUnder('PRD to sprint', 'yaml'),
  ...codeBlocksUnder('Weekly re-plan', 'yaml'),
  ...codeBlocksUnder('Finish a task', 'yaml'),
];
let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await fixture.rest('PUT', '/projects/sample', sampleProject);
  for (const text of page) {
    const put = await fixture.rest('PUT', `/workflows/${parse(text).name}`, text, {
      type: 'application/yaml',
    });
    if (put.status !== 200) throw new Error(JSON.stringify(put.body));
  }
});
afterAll(() => fixture?.stop());

const withoutIds = (text: string) => text.replaceAll(/"interactionId":"[^"]+"/g, '"interactionId":"..."');

test('baton dev stores what the page shows', () => {
  expect(page.map((text) => parse(text) as object)).toEqual(sampleWorkflows);
});

test('PRD to sprint opens a tag, and hands off from where an LLM plans; what is left runs as it is handed off', async () => {
  const args = { project: 'sample', prd: 'A shop for teas.', sprint: 'sprint-1', tasks: '3' };
  const run = await fixture.run('prd_to_sprint', args);
  expect(run.status).toBe('working');
  expect(withoutIds(run.last)).toMatchInlineSnapshot(`
    "assistant: Step 2 ('plan') waits for an LLM call that you make. Its request stands above, under llmRequestForAgent: make that call, and give its answer to agent_llm.

    To continue the workflow, make these tool calls:
    1. Call agent_llm with {"interactionId":"...","agentLLMResponse":{"status":"success","data":{"object":"<the object of your LLM call>"}}}
       Note: A task is what one person finishes within the sprint.
    2. Call analyze_project_complexity with {"projectRoot":"sample","tag":"sprint-1"}
    3. Call expand_all with {"projectRoot":"sample","tag":"sprint-1"}
       Note: Split only what was ranked as complex; expand_task splits a single task.
    4. Call next_task with {"projectRoot":"sample","tag":"sprint-1"}"
  `);
  const [, interactionId] = /"interactionId":"([^"]+)"/.exec(run.last) ?? [];
  const tasks = ['Shelf', 'Basket'].map((title, at) => ({ id: at + 1, title, description: `${title}.` }));
  const [client] = fixture.clients;
  const planned = await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { object: { tasks } } },
  });
  expect(planned.outcome.status).toBe('completed');
  const [, , , next = ''] = run.last.split(/^\d\. /m).slice(1);
  const [, tool = '', given = ''] = /^Call (\S+) with (.+)$/m.exec(next) ?? [];
  expect((await callTool(client, tool, JSON.parse(given))).task).toMatchObject({ id: 1, title: 'Shelf' });
});

test('the weekly re-plan shows how the project stands, and hands off the rewriting', async () => {
  const run = await fixture.run('weekly_replan', { project: 'sample', change: 'We pay by invoice now.' });
  expect(run.texts).toContain('user: [baton://projects/sample/status]');
  expect(withoutIds(run.last)).toMatchInlineSnapshot(`
    "assistant: Step 4 ('replan') waits for an LLM call that you make. Its request stands above, under llmRequestForAgent: make that call, and give its answer to agent_llm.

    To continue the workflow, make these tool calls:
    1. Call agent_llm with {"interactionId":"...","agentLLMResponse":{"status":"success","data":{"object":"<the object of your LLM call>"}}}
       Note: Keep what has begun as it is, unless the change contradicts it.
    2. Call get_tasks with {"projectRoot":"sample"}
       Note: Tell in five sentences what is different from the last week."
  `);
});

test('finishing a task runs to its end, until nothing is next', async () => {
  const finish = (task: string) => fixture.run('finish_task', { project: 'sample', task });
  expect(await finish('2')).toMatchObject({ status: 'completed' });
  const { task } = await callTool(fixture.clients[1], 'get_task', { projectRoot: 'sample', id: 3 });
  expect(task.status).toBe('in-progress');
  await finish('3');
  const last = await finish('4');
  expect(last.status).toBe('working');
  expect(last.last).toMatchInlineSnapshot(`
    "assistant: Step 3 ('begin') was not called, since not all of its arguments are known: 'id' needs the field 'task.id' of step 'next', whose output lacks it.

    To continue the workflow, make these tool calls:
    1. Call set_task_status with {"projectRoot":"sample","id":"<field 'task.id' from next>","status":"in-progress"}
       Note: Where nothing is next, the sprint is over.
    2. Call get_task with {"projectRoot":"sample","id":"<field 'task.id' from next>"}
       Note: Read the details and the test strategy before you start."
  `);
});
