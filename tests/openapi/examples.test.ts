import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

/** Each named schema of the OpenAPI document has an example, and that is what the routes answer, but for ids, times and keys. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
});
afterAll(() => baton.stop());

async function send(method: string, path: string, token: string, body?: object): Promise<AnyJson> {
  const response = await fetch(`${baton.url()}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** A delegation from its tenant to its end, and what the routes said on the way, by the name of its schema. */
async function delegate(): Promise<Record<string, AnyJson>> {
  const tenant = await send('POST', '/tenants', OPERATOR_TOKEN, { id: 'harbour', name: 'The harbour' });
  const keys = '/tenants/harbour/keys';
  const scopes = ['mcp', 'agent', 'admin'];
  const newKey = await send('POST', keys, OPERATOR_TOKEN, { name: 'planner', principal: 'ada', scopes });
  const [key] = (await send('GET', keys, OPERATOR_TOKEN)).keys;
  await send('POST', '/tools/add_task', newKey.key, {
    projectRoot: 'shop',
    title: 'Sell tea',
    description: 'A page for each tea.',
  });
  await send('POST', '/tools/classify', newKey.key, {
    text: 'The film was a delight.',
    classes: ['good', 'bad'],
  });
  const [interaction] = (await send('GET', '/interactions', newKey.key)).interactions;
  const { interactionId } = interaction;
  await send('POST', `/interactions/${interactionId}/answer`, newKey.key, {
    agentLLMResponse: { status: 'success', data: { text: 'good' } },
    waitMs: 20_000,
  });
  const [listed] = (await send('GET', '/tasks', newKey.key)).tasks;
  return {
    Tenant: tenant,
    NewKey: newKey,
    Key: key,
    Interaction: interaction,
    InteractionDetail: await send('GET', `/interactions/${interactionId}`, newKey.key),
    Task: listed,
    TaskDetail: await send('GET', `/tasks/${listed.taskId}`, newKey.key),
    Project: (await send('GET', '/projects', newKey.key)).projects[0],
    Problem: await send('GET', '/tasks/none', newKey.key),
  };
}

/** Without what differs from run to run. */
const comparable = (value: unknown): AnyJson =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replaceAll(/bt_harbour_\w+/g, 'a key')
      .replaceAll(/"id":"\w{12}"/g, '"id":"of a key"')
      .replaceAll(/"durationMs":\d+/g, '"durationMs":1'),
  );

test('each named schema has an example, which is what the routes answer', async () => {
  const { components } = await send('GET', '/openapi.json', OPERATOR_TOKEN);
  const examples = Object.entries<AnyJson>(components.schemas).map(([name, { examples: of }]) => [
    name,
    of?.[0],
  ]);
  expect(comparable(Object.fromEntries(examples))).toEqual(comparable(await delegate()));
});
