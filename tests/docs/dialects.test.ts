import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { openSession, TaskStreamClient } from '../dialects/task-stream-client.ts';
import { codeBlocksUnder } from './read-markdown-pages.ts';

/** The messages of docs/dialects.md are sent as they stand there, and replied to as it says, but for ids, times, schemas, and texts that are cut short. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start();
});
afterAll(async () => baton?.stop());

const replies = codeBlocksUnder('2026-07-28', 'json');
const examples = codeBlocksUnder('2026-07-28', 'http').map((request, at) => ({
  request,
  reply: replies[at] ?? '',
}));
/** What the last replies asked and began, which the next request may answer and name. */
let asked: AnyJson = {};

test('each request of the page has its reply', () => {
  expect(replies.length).toBe(examples.length);
});

test.each(examples)('$request', async ({ request, reply }) => {
  const [head = '', body = ''] = request.split('\n\n');
  const [, ...lines] = head.split('\n');
  const { taskId } = asked;
  const headers = Object.fromEntries(
    lines.map((line) => line.replace(/ TASK$/, ` ${taskId}`).split(': ') as [string, string]),
  );
  const [key = ''] = Object.keys(asked.inputRequests ?? {});
  const filled = body
    .replace('"STATE"', `"${asked.requestState}"`)
    .replace('"ID"', `"${key}"`)
    .replace('"TASK"', `"${taskId}"`);
  const { body: given } = await postJsonRpc(baton.url(), baton.apiKey, filled, headers);
  asked = { ...asked, ...given.result };
  expect(JSON.parse(reply)).toEqual(shown(given));
});

test('a call asks on its own stream as the page says, and ends with the response that is posted', async () => {
  const [call = '', response = ''] = codeBlocksUnder('Sampling of 2025', 'http');
  const [told = ''] = codeBlocksUnder('Sampling of 2025', 'json');
  const headers = await openSession(baton.url(0), baton.apiKey, { sampling: {} });
  const bodyOf = (block: string): string => block.split('\n\n')[1] ?? '';
  const stream = await TaskStreamClient.open(baton.url(0), headers, { request: JSON.parse(bodyOf(call)) });
  const request = await stream.message('sampling/createMessage');
  expect(stream.events[0]).toEqual({ id: expect.any(String), message: undefined });
  expect(JSON.parse(told)).toEqual(shown(request));
  const posted = await postJsonRpc(
    baton.url(1),
    undefined,
    bodyOf(response).replace('"ID"', `"${request.id}"`),
    headers,
  );
  expect(posted.status).toBe(202);
  expect((await stream.message('')).result.structuredContent).toMatchObject({ operation: 'add_task' });
});

const LONG = 120;
const HOUR_MS = 3_600_000;

/** A reply as pages show it. */
function shown(value: AnyJson, name = ''): AnyJson {
  if (Array.isArray(value)) return value.map((item) => shown(item));
  if (name === 'schema') return { type: 'object' };
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [masked(key), shown(item, key)]));
  if (name === 'ttlMs' && typeof value === 'number') return Math.round(value / HOUR_MS) * HOUR_MS;
  if (typeof value !== 'string') return value;
  if (name === 'requestState') return 'STATE';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return '2026-11-28T12:00:00.000Z';
  if (name === 'version') return '1.0.0';
  const text = masked(value);
  return text.length > LONG ? `${text.slice(0, LONG)}...` : text;
}

function masked(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID');
}
