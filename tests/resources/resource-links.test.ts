import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';

describe('links to what a tool made or changed', () => {
  let baton: InProcessDeployment;
  let client: Client;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    client = await connectMcpClient(baton.url(), baton.apiKey);
  });
  afterAll(async () => {
    await client?.close();
    await baton?.stop();
  });

  const linksOf = async (name: string, args: object): Promise<string[]> => {
    const { content, isError } = (await client.callTool({ name, arguments: args as AnyJson })) as AnyJson;
    expect([name, isError ?? false]).toEqual([name, false]);
    const links = content.filter(({ type }: AnyJson) => type === 'resource_link');
    for (const { uri, name: label } of links) {
      expect(label).toMatch(/\S/);
      await client.readResource({ uri });
    }
    return links.map(({ uri }: AnyJson) => uri);
  };
  const link = { type: 'resource_link', uri: 'https://a.example', name: 'a' };

  test.each([
    ['initialize_project', { rules: ['Be brief'] }, ['status?tag=*', 'tasks?tag=*', 'rules']],
    ['add_subtask', { id: '2', title: 'Part' }, ['tasks/2.1']],
    ['set_task_status', { id: '1,2.1', status: 'review' }, ['tasks/1', 'tasks/2.1']],
    ['move_task', { from: '3', to: '9' }, ['tasks', 'tasks/9']],
    ['add_dependency', { id: '2', dependsOn: '1' }, ['tasks']],
    ['attach_to_task', { id: '1', attachments: [link] }, ['tasks/1/attachments/1', 'tasks/1']],
    ['set_rules', { rules: ['x'] }, ['rules*']],
    ['response_language', { language: 'Deutsch' }, ['status?tag=*']],
    ['connect_files', { files: [{ name: 'a.md', text: 'A' }] }, ['files*']],
    ['add_tag', { name: 'later' }, ['tasks?tag=later']],
    ['rename_tag', { oldName: 'later', newName: 'never' }, ['tasks?tag=never']],
    ['delete_tag', { name: 'never', yes: true }, ['status?tag=*']],
    ['remove_task', { id: '3' }, ['tasks']],
    ['get_tasks', {}, []],
    ['next_task', {}, []],
  ])('%s links what it changed, and each link can be read [changed-links]', async (name, args, expected) => {
    const projectRoot = `links-${name}`;
    const tasks = ['One', 'Two', 'Three'].map((title) => ({ title, description: 'x' }));
    await callTool(client, 'initialize_project', { projectRoot, tasks });
    await callTool(client, 'add_subtask', { projectRoot, id: '2', title: 'First' });
    if (name === 'rename_tag' || name === 'delete_tag')
      await callTool(client, 'add_tag', { projectRoot, name: name === 'rename_tag' ? 'later' : 'never' });
    const found = await linksOf(name, { ...args, projectRoot });
    const base = `baton://projects/${projectRoot}/`;
    const wanted = expected.map((path) => path.replace('?tag=*', '').replace('*', ''));
    expect(found.map((uri) => uri.replace(base, '').replace('?tag=master', ''))).toEqual(
      name === 'add_subtask' ? ['tasks/2.2'] : wanted,
    );
  });

  test('a call that delegates links its task, and the answer what the operation changed, within a bound [changed-links]', async () => {
    const projectRoot = 'links-prd';
    const args = { prd: 'Tea.', numTasks: 2, projectRoot };
    const asked = (await client.callTool({ name: 'parse_prd', arguments: args })) as AnyJson;
    const { taskId, interactionId } = asked.structuredContent;
    expect(asked.content.at(-1)).toMatchObject({ type: 'resource_link', uri: `baton://tasks/${taskId}` });
    const task = (id: number) => ({ id, title: `T${id}`, description: 'd', dependencies: [] });
    const answer = (id: string, count: number) => ({
      interactionId: id,
      agentLLMResponse: {
        status: 'success',
        data: { object: { tasks: Array.from({ length: count }, (_, at) => task(at + 1)) } },
      },
    });
    const base = `baton://projects/${projectRoot}/tasks`;
    expect(await linksOf('agent_llm', answer(interactionId, 2))).toEqual([
      `${base}?tag=master`,
      `${base}/1?tag=master`,
      `${base}/2?tag=master`,
    ]);
    const more = await callTool(client, 'parse_prd', { ...args, append: true });
    expect(await linksOf('agent_llm', answer(more.interactionId, 60))).toEqual([`${base}?tag=master`]);
    const again = await callTool(client, 'expand_task', { projectRoot, id: '1' });
    expect(await linksOf('cancel_task', { taskId: again.taskId })).toEqual([`baton://tasks/${again.taskId}`]);
    expect(await linksOf('delete_project', { projectRoot })).toEqual(['baton://projects']);
  });

  test('operations on tasks that are there link those that they changed [changed-links]', async () => {
    const projectRoot = 'links-operations';
    const tasks = ['One', 'Two'].map((title) => ({ title, description: 'x' }));
    await callTool(client, 'initialize_project', { projectRoot, tasks });
    await callTool(client, 'add_subtask', { projectRoot, id: '2', title: 'First' });
    const answered = async (name: string, args: object, data: object) => {
      const { interactionId } = await callTool(client, name, { projectRoot, ...args });
      return linksOf('agent_llm', { interactionId, agentLLMResponse: { status: 'success', data } });
    };
    const base = `baton://projects/${projectRoot}/tasks`;
    const words = { text: 'Tea is hot.' };
    expect(await answered('research', { query: 'Is it hot?' }, words)).toEqual([]);
    expect(await answered('research', { query: 'Is it?', saveTo: '1' }, words)).toEqual([
      `${base}/1?tag=master`,
    ]);
    expect(await answered('update_subtask', { id: '2.1', prompt: 'Note' }, words)).toEqual([
      `${base}/2.1?tag=master`,
    ]);
    const one = { title: 'One', description: 'y', priority: 'low' };
    expect(await answered('scope_up_task', { id: '1' }, { object: one })).toEqual([`${base}/1?tag=master`]);
    const task = { id: 3, title: 'Three', description: 'z', details: 'd', testStrategy: 't' };
    expect(await answered('add_task', { prompt: 'Three' }, { object: task })).toEqual([
      `${base}?tag=master`,
      `${base}/3?tag=master`,
    ]);
  });

  test('a client of a revision without links, or of none, is sent none [changed-links]', async () => {
    const call = async (headers: Record<string, string>) => {
      const args = {
        name: 'set_rules',
        arguments: { rules: ['x'], projectRoot: 'links-prd-old' },
      };
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: args };
      const accept = 'application/json, text/event-stream';
      const { body } = await postJsonRpc(baton.url(1), baton.apiKey, request, { accept, ...headers });
      return (body.result.content as AnyJson[]).map(({ type }) => type);
    };
    await callTool(client, 'initialize_project', { projectRoot: 'links-prd-old' });
    expect(await call({ 'mcp-protocol-version': '2025-03-26' })).toEqual(['text', 'text']);
    expect(await call({})).toEqual(['text', 'text']);
    expect(await call({ 'mcp-protocol-version': '2025-06-18' })).toEqual(['text', 'text', 'resource_link']);
  });
});
