import {
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { connectMcpClient } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

const see = { name: 'see', tool: 'next_task' };
const uri = 'baton://workflows/plan';

test('a workflow is a resource: listed, templated, read, and told of on the other replica when it changes', async () => {
  const fixture = await WorkflowFixture.start();
  await fixture.put('plan', [see], { title: 'Plan' });
  const client = await connectMcpClient(fixture.baton.url(1), fixture.key);
  // The stream opens in the background, and begins with what may have changed before.
  await new Promise<void>((resolve) =>
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => resolve()),
  );
  const { resources } = await client.listResources();
  expect(resources.find((one) => one.uri === uri)).toMatchObject({ mimeType: 'application/json' });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('baton://workflows/{name}');
  const heard: string[] = [];
  let wake = () => {};
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.push(params.uri);
    wake();
  });
  await client.subscribeResource({ uri });
  const told = async (change: () => Promise<unknown>) => {
    const next = new Promise<void>((resolve) => (wake = resolve));
    await change();
    await next;
  };
  await fixture.put('other', [see]);
  await told(() => fixture.put('plan', [see, { name: 'think', guidance: 'Think.' }]));
  await told(() => fixture.rest('DELETE', '/workflows/plan'));
  expect(heard).toEqual([uri, uri]);
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 });
  await client.close();
  await fixture.stop();
});
