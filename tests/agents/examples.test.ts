import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksUnder, REPOSITORY_ROOT } from '../docs/read-markdown-pages.ts';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { createScriptedAgent } from '../scripted-agent/scripted-agent.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';

/** The examples of docs/agents.md, stored from their files, and answered by the scripted agent. */
const EXAMPLES = join(REPOSITORY_ROOT, 'docs/examples');
const read = (path: string) => readFileSync(join(EXAMPLES, path), 'utf8');

const CHART = { type: 'image', data: Buffer.from('a chart').toString('base64'), mimeType: 'image/png' };

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  for (const [folder, plural, key] of [
    ['team', 'agents', 'id'],
    ['prompts', 'prompts', 'name'],
  ] as const)
    for (const file of readdirSync(join(EXAMPLES, folder))) {
      const text = read(`${folder}/${file}`);
      const path = `/${plural}/${parse(text)[key]}`;
      const { status, body } = await fixture.rest('PUT', path, text, { type: 'application/yaml' });
      if (status !== 200) throw new Error(JSON.stringify(body));
    }
});
afterAll(() => fixture?.stop());

/** Calls a tool, and answers what it asks until it has ended; returns its end, and the requests. */
async function run(name: string, args: object, seed: string, wrongRate: number) {
  const agent = createScriptedAgent({ seed, wrongRate });
  const [client] = fixture.clients;
  const { taskId } = await callTool(client, name, args);
  const requests: AnyJson[] = [];
  for (;;) {
    const { interactions } = await callTool(client, 'pending_interactions', { requests: true });
    const pending = interactions.filter((one: AnyJson) => one.taskId === taskId);
    for (const { interactionId, llmRequestForAgent } of pending) {
      requests.push(llmRequestForAgent);
      const agentLLMResponse: AnyJson = agent.answer(llmRequestForAgent);
      const draws = String(llmRequestForAgent.messages[0].content).includes('draw it');
      if (draws && agentLLMResponse.status === 'success')
        agentLLMResponse.data = { ...agentLLMResponse.data, content: [CHART] };
      await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    }
    const view = await callTool(client, 'task_status', { taskId, waitMs: 5_000 });
    if (view.status !== 'working' && view.status !== 'input_required') return { view, requests };
  }
}

const SEEDS = Array.from({ length: 8 }, (_, at) => `examples ${at}`);

test('the page shows two of the files as they are', () => {
  expect(codeBlocksUnder('Define an agent', 'yaml')).toEqual([read('team/research.yaml')]);
  expect(codeBlocksUnder('Prompts', 'yaml')).toEqual([read('prompts/extract.yaml')]);
});

describe('the research team', () => {
  const ask = (seed: string, wrongRate: number) =>
    run('ask_assistant', { message: 'Does a heat pump pay for itself in Oslo?' }, seed, wrongRate);

  test('asks its three specialists at once, and answers from what they say', async () => {
    const { view, requests } = await ask('team', 0);
    expect(view).toMatchObject({ status: 'completed', result: { agentId: 'lead' } });
    const { functionCalls, response } = view.result;
    expect(response).not.toBe('');
    expect(functionCalls.map(({ name }: AnyJson) => name)).toEqual(['analyst', 'critic', 'research']);
    for (const call of functionCalls) expect(call).toMatchObject({ result: expect.any(String) });
    expect(view.result.content).toEqual([CHART]);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain(CHART.data);
    expect(requests).toHaveLength(5);
    expect(requests[0].messages[0].content).toMatch(/, and say what stays open\.\n\nBrief and exact\.$/);
    const [, ...others] = requests.map(({ messages }) => String(messages[0].content).split('\n')[0] ?? '');
    expect(others.slice(0, 3).toSorted()).toEqual([
      'Find sources for what you are asked, and name each.',
      'Look for what speaks against a claim. Where nothing does, say so.',
      'Work out what you are asked, step by step, and say what you assumed. Where a chart says more, draw it.',
    ]);
  });

  test.each(SEEDS)('answers although calls lack arguments, by the seed %s', async (seed) => {
    const { view } = await ask(seed, 0.4);
    expect(view.status).toBe('completed');
    expect(view.result.functionCalls).toHaveLength(3);
  });
});

describe('the extractor', () => {
  const args = { text: 'Ann and Bob met in the library. They talked about the new van for an hour.' };
  const handler = /^That could not be read: .*<about> is opened and never closed.*Write the tags again\.$/;

  test.each(SEEDS)('reads its tags, and asks again in its words, by the seed %s', async (seed) => {
    const { view, requests } = await run('call_prompt', { name: 'extract', args }, seed, 0.4);
    expect(view).toMatchObject({
      status: 'completed',
      result: { response: { about: expect.any(String), person: [expect.any(String)], none: true } },
    });
    const again = requests.slice(1).map(({ messages }) => messages.at(-1).content);
    for (const words of again) expect(words).toMatch(handler);
    const ends = view.result.attempts.map(({ end }: AnyJson) => end);
    expect(ends).toEqual([...again.map(() => 'exception'), 'accepted']);
  });
});

describe('the classifier', () => {
  const args = { text: 'It closes when I turn the phone.', classes: ['bug', 'wish', 'question'] };

  test.each(SEEDS)('gives one of the classes, by the seed %s', async (seed) => {
    const { view } = await run('classify', args, seed, 0.4);
    expect(view).toMatchObject({ status: 'completed', result: { method: 'none' } });
    expect(args.classes).toContain(view.result.class);
  });
});
