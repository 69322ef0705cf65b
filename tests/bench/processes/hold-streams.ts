import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { initialize, type Session } from './open-session.ts';
import { sendJson } from './minimal-http-client.ts';
import { sendToParent } from './parent-process.ts';

/**
 * Sessions with notification streams: `hold-streams <url> <keys> <streams>` opens so many, those of each key in turn, and reports. The first
 * stream of each key is subscribed to the tasks of the project `busy`, all others to those of `quiet`. For each line of input it changes `busy` of one key after the other,
 * `<changes>` times in all, and reports the median milliseconds from the request that changes it until its one stream has heard of it.
 */
const [url = '', credentials = '', count = '1'] = process.argv.slice(2);
const keys = credentials.split(',');
const UPDATED = 'notifications/resources/updated';

let onUpdated: (project: string) => void = () => {};

async function call(session: Session, method: string, params: object): Promise<string> {
  const headers = `mcp-session-id: ${session.id}\r\nmcp-protocol-version: 2025-11-25\r\n`;
  return sendJson(`${url}/mcp`, session.key, { jsonrpc: '2.0', id: 1, method, params }, 'POST', headers);
}

async function openStream(key: string, project: string): Promise<void> {
  const session = await initialize(url, key, {});
  await call(session, 'resources/subscribe', { uri: `baton://projects/${project}/tasks` });
  const request = get(`${url}/mcp`, {
    agent: false,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': session.id },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`no stream: ${response.statusCode}`);
  response.on('data', (part: Buffer) => {
    if (part.includes(UPDATED)) onUpdated(project);
  });
}

const tool = (key: string, name: string, args: object) =>
  sendJson(`${url}/mcp`, key, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });

async function change(nth: number): Promise<number> {
  const key = keys[nth % keys.length] ?? '';
  const heard = new Promise<void>((resolve) => {
    onUpdated = (project) => {
      if (project === 'busy') resolve();
    };
  });
  const status = Math.floor(nth / keys.length) % 2 === 0 ? 'in-progress' : 'pending';
  const begun = performance.now();
  await tool(key, 'set_task_status', { projectRoot: 'busy', id: '1', status });
  await heard;
  return performance.now() - begun;
}

for (const key of keys)
  for (const project of ['busy', 'quiet']) {
    const master = { tasks: [{ id: 1, title: 'T', description: 'D', status: 'pending' }] };
    await sendJson(`${url}/v1/projects/${project}`, key, { master }, 'PUT');
  }
// The first streams tell what may have changed before, once each.
for (let n = 0; n < Number(count); n++)
  await openStream(keys[n % keys.length] ?? '', n < keys.length ? 'busy' : 'quiet');
await new Promise((resolve) => setTimeout(resolve, 1_000));
sendToParent({});
let nth = 0;
process.stdin.on('data', (changes) => {
  void (async () => {
    const times: number[] = [];
    for (let left = Number(String(changes)); left > 0; left--) times.push(await change(nth++));
    times.sort((a, b) => a - b);
    sendToParent({ p50: times[Math.floor(times.length / 2)] ?? 0 });
  })();
});
process.stdin.ref?.();
