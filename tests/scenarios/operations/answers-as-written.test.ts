import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { callTool, connectMcpClient, successAnswer } from '../../harness/mcp-client.ts';

let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

const list = (...titles: string[]) =>
  JSON.stringify({ tasks: titles.map((title, at) => ({ id: at + 1, title, description: `Do ${title}.` })) });
const [draft, final] = [list('Draft'), list('First', 'Second')];
const fenced = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

/** The titles of the project after its document's answer. */
async function titlesAfter(projectRoot: string, data: object): Promise<string[]> {
  const parked = await callTool(client, 'parse_prd', { prd: 'A shop.', projectRoot, numTasks: 2 });
  const agentLLMResponse = successAnswer(data);
  await callTool(client, 'agent_llm', { interactionId: parked.interactionId, agentLLMResponse });
  const { tasks } = await callTool(client, 'get_tasks', { projectRoot });
  return tasks.map(({ title }: { title: string }) => title);
}

const block = (text: string) => ({ type: 'text', text });
test.each<[string, object]>([
  ['a draft in reasoning', { text: `<think>\n${fenced(draft)}\n</think>\n${fenced(final)}` }],
  ['a draft before words', { text: `${fenced(draft)}\nOne is missing:\n${fenced(final)}` }],
  ['a draft in a block of its own', { content: [block(`<think>${draft}</think>`), block(final)] }],
  ['an object as text', { object: final }],
])('the final list of a model is stored, and never %s', async (what, data) => {
  expect(await titlesAfter(`as-written ${what}`, data)).toEqual(['First', 'Second']);
});

test('an answer that is reasoning alone is asked for again, and says why', async () => {
  const { interactionId } = await callTool(client, 'parse_prd', { prd: 'A shop.', projectRoot: 'thoughts' });
  const agentLLMResponse = successAnswer({ text: `<think>${draft}</think>` });
  const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome).toMatchObject({
    status: 'input_required',
    attempt: 2,
    problem: expect.stringContaining('nothing but reasoning'),
  });
});
