import { once } from 'node:events';
import { get } from 'node:http';
import { sendToParent } from '../processes/parent-process.ts';

/**
 * Sessions that hear when the list of tools changes: `hear-tool-lists <urls> <key> <sessions>` opens so many with their streams,
 * turn by turn on the replicas, and reports. For each line of input, `enable` or `disable`, it does so with the agent `coder`, and reports the
 * milliseconds until the first and the last session have heard of it.
 */
const [urls = '', key = '', count = '1'] = process.argv.slice(2);
const replicas = urls.split(',');
const HEARD = 'notifications/tools/list_changed';
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

let heard = 0;
let onHeard = () => {};

async function openStream(url: string): Promise<void> {
  const opened = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      },
    }),
  });
  await opened.text();
  const session = opened.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session: ${opened.status}`);
  const request = get(`${url}/mcp`, { headers: { ...headers, 'mcp-session-id': session }, agent: false });
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  if (response.statusCode !== 200) throw new Error(`no stream: ${response.statusCode}`);
  response.on('data', (part: Buffer) => {
    if (!part.includes(HEARD)) return;
    heard++;
    onHeard();
  });
}

async function change(action: string): Promise<void> {
  heard = 0;
  const begun = performance.now();
  let first = 0;
  const all = new Promise<void>((resolve) => {
    onHeard = () => {
      if (heard === 1) first = performance.now() - begun;
      if (heard === Number(count)) resolve();
    };
  });
  const response = await fetch(`${replicas[0]}/v1/agents/coder/${action}`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  if (!response.ok) throw new Error(await response.text());
  await all;
  sendToParent({ first, last: performance.now() - begun });
}

for (let n = 0; n < Number(count); n++) await openStream(replicas[n % replicas.length] ?? '');
sendToParent({});
let changed = Promise.resolve();
process.stdin.on('data', (action) => {
  changed = changed.then(() => change(String(action).trim()));
});
process.stdin.ref?.();
