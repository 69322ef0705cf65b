import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';

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

const addTask = (projectRoot: string) =>
  callTool(client, 'initialize_project', { projectRoot, tasks: [{ title: 'A', description: 'Do A.' }] });

test('a directory with a slash at its end is the project without one, also over REST', async () => {
  await addTask('/home/ann/harbour/');
  for (const projectRoot of ['/home/ann/harbour', '/home/ann/harbour//', '/home/ann/harbour/'])
    expect(await callTool(client, 'get_tasks', { projectRoot })).toMatchObject({
      projectRoot: '/home/ann/harbour',
      tasks: [{ title: 'A' }],
    });
  const path = `/v1/projects/${encodeURIComponent('/home/ann/harbour/')}`;
  const reply = await fetch(`${baton.url(0)}${path}`, {
    headers: { authorization: `Bearer ${baton.apiKey}` },
  });
  expect(reply.status).toBe(200);
  // What is only slashes stays what it is.
  expect((await addTask('/')).workspace).toMatchObject({ path: '/' });
});

test('a read of an unknown project names the nearest, and none where none is near', async () => {
  await addTask('/home/ann/a-rather-long-way-to-the-folder-of-the-project/lighthouse');
  const read = async (projectRoot: string) =>
    ((await client.callTool({ name: 'next_task', arguments: { projectRoot } })) as AnyJson).structuredContent
      .error;
  const near = await read('/home/ann/a-rather-long-way-to-the-folder-of-the-project/lighthose');
  expect(near).toMatchObject({
    code: 'project_not_found',
    nearest: '/home/ann/a-rather-long-way-to-the-folder-of-the-project/lighthouse',
    message: expect.stringContaining('Did you mean'),
  });
  expect(await read('nothing like it')).not.toHaveProperty('nearest');
});
