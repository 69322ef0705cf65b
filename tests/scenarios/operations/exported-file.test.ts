import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { tasksFileSchema } from '../../task-master/files.ts';
import { runOperationToEnd } from './run-operation-to-end.ts';

let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');
const matches = new AjvJsonSchemaValidator().getValidator(tasksFileSchema());

async function project(name: string, init: RequestInit = {}): Promise<AnyJson> {
  const response = await fetch(`${baton.url(0)}/v1/projects/${name}`, {
    ...init,
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  return response.json();
}

test("a project that all operations have changed exports in claude-task-master's format, and imports as the same project", async () => {
  const projectRoot = 'out';
  const agent = createScriptedAgent({ seed: 7 });
  const run = async (operation: string, args: object) => {
    const end = await runOperationToEnd([client], agent, operation, { projectRoot, ...args });
    expect(end.status, JSON.stringify(end.error)).toBe('completed');
  };
  await run('parse_prd', { prd: fixture('prd-praxis.md'), numTasks: 6 });
  await run('analyze_project_complexity', {});
  await run('expand_all', {});
  await run('update', { from: 2, prompt: 'Use SQLite.' });
  await run('update_subtask', { id: '2.1', prompt: 'Learned something.' });
  await run('add_task', { title: 'By hand', description: 'D', dependencies: '1.1' });
  await callTool(client, 'add_subtask', { projectRoot, id: 7, title: 'A part' });
  await callTool(client, 'move_task', { projectRoot, from: '2.1', to: '30' });
  await callTool(client, 'copy_tag', { projectRoot, sourceName: 'master', targetName: 'v2' });
  await callTool(client, 'set_task_status', { projectRoot, id: '1', status: 'review' });

  const file = await project(projectRoot);
  const fit = matches(file);
  expect(fit.valid, fit.errorMessage).toBe(true);
  expect(await project('in', { method: 'PUT', body: JSON.stringify(file) })).toMatchObject({
    repairs: [],
  });
  expect(await project('in')).toEqual(file);
});
