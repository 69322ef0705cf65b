import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { createScriptedAgent } from '../scripted-agent/scripted-agent.ts';

const DOCUMENTS = ['prd-fleet.md', 'prd-praxis.md', 'prd-library.txt'];
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1e9));
console.log(`real input: SEED=${seed}`);

let baton: InProcessDeployment;
let clients: Client[];

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
});
afterAll(() => baton.stop());

/** Answers what is asked, each time through the other replica, until the task has ended. */
async function answerToTheEnd(directive: AnyJson, agent: ReturnType<typeof createScriptedAgent>) {
  let asked = directive;
  for (let turn = 1; ; turn++) {
    const agentLLMResponse = agent.answer(asked.llmRequestForAgent);
    const args = { interactionId: asked.interactionId, agentLLMResponse, waitMs: 25_000, repeat: true };
    const { outcome } = await callTool(clients[turn % 2]!, 'agent_llm', args);
    if (outcome.pending === undefined) return { outcome, turns: turn };
    asked = outcome.pending;
  }
}

describe.each(DOCUMENTS)('%s', (document) => {
  const prd = readFileSync(new URL(`../fixtures/${document}`, import.meta.url), 'utf8');

  test('is sent to the agent in full, and becomes the requested number of tasks', async () => {
    const projectRoot = `right/${document}`;
    const asked = await callTool(clients[0]!, 'parse_prd', { prd, numTasks: '12', projectRoot });
    expect(asked.llmRequestForAgent.messages.map((message: AnyJson) => message.content).join('\n')).toContain(
      prd.trim().slice(-300),
    );
    const { outcome } = await answerToTheEnd(asked, createScriptedAgent({ seed }));
    expect(outcome.status, JSON.stringify(outcome.error)).toBe('completed');
    expect(outcome.result).toMatchObject({ projectRoot, tag: 'master', tasksAdded: 12 });
    const { tasks, stats } = await callTool(clients[1]!, 'get_tasks', { projectRoot });
    expect(tasks.map((task: AnyJson) => task.id)).toEqual(outcome.result.taskIds);
    expect(stats.total).toBe(12);
    for (const task of tasks) {
      for (const id of task.dependencies) expect(outcome.result.taskIds).toContain(id);
    }
  });

  test('never leaves a half-written project, whatever the agent answers', async () => {
    const projectRoot = `mixed/${document}`;
    for (let round = 0; round < 4; round++) {
      const agent = createScriptedAgent({ seed: `${seed}-${round}`, wrongRate: 0.6, errorRate: 0.1 });
      const before = await callTool(clients[0]!, 'get_tasks', { projectRoot }).catch(() => undefined);
      const had = before?.tasks?.length ?? 0;
      const asked = await callTool(clients[0]!, 'parse_prd', { prd, numTasks: 5, append: true, projectRoot });
      const { outcome } = await answerToTheEnd(asked, agent);
      const after = await callTool(clients[1]!, 'get_tasks', { projectRoot }).catch(() => undefined);
      const has = after?.tasks?.length ?? 0;
      if (outcome.status === 'completed') {
        expect(has - had).toBe(outcome.result.tasksAdded);
        expect(outcome.result.tasksAdded).toBeGreaterThan(0);
      } else {
        expect(['answer_invalid', 'agent_error']).toContain(outcome.error.code);
        expect(has).toBe(had);
      }
      const ids = (after?.tasks ?? []).map((task: AnyJson) => task.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
