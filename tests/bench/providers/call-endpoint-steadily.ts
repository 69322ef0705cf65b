import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { callToolForText, closeConnections, sendJson } from '../processes/minimal-http-client.ts';
import { sendToParent } from '../processes/parent-process.ts';

/**
 * A slow LLM endpoint, and callers whose requests it answers: `call-endpoint-steadily <url> <keys> <calls at once> <ms of a call>` has the role
 * `main` of each key's tenant name the endpoint, and reports. For each line of input: `start` keeps so many calls under way, begun evenly
 * over the time of one, and reports once they are; `stop` begins no more, and reports the calls answered when none is left; `count` reports
 * the calls that were answered so far.
 */
const [url = '', keys = '', atOnce = '1', callMs = '5000'] = process.argv.slice(2);
const credentials = keys.split(',');
const lanes = Number(atOnce);
const duration = Number(callMs);
const TEXT = 'Say something about the weather in a town by the sea, in a few words, as a sailor would.';
const REPLY = JSON.stringify({
  id: 'chat-1',
  object: 'chat.completion',
  created: 1,
  model: 'slow',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: '{"value":"A stiff breeze from the west."}' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
});

let underWay = 0;
let answered = 0;
let isRunning = false;
let onArrival = () => {};
let ended: Promise<unknown> = Promise.resolve();

const endpoint = createServer((request, response) => {
  request.resume();
  underWay++;
  onArrival();
  setTimeout(() => {
    underWay--;
    response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY);
  }, duration);
});

async function runLane(lane: number): Promise<void> {
  const key = credentials[lane % credentials.length] ?? '';
  await new Promise((resolve) => setTimeout(resolve, (duration / lanes) * lane));
  while (isRunning) {
    const done = await callToolForText(url, key, 'bench_echo', { text: TEXT }, lane);
    if (!done.includes('"status":"completed"')) throw new Error(done);
    answered++;
  }
}

async function start(): Promise<void> {
  isRunning = true;
  // A few are always between the endpoint and their next call.
  const most = new Promise<void>((resolve) => {
    onArrival = () => underWay >= lanes * 0.95 && resolve();
  });
  ended = Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  await Promise.race([most, ended]);
  sendToParent({});
}

async function stop(): Promise<void> {
  isRunning = false;
  await ended;
  sendToParent({ trips: answered });
}

endpoint.listen(0, '127.0.0.1');
await once(endpoint, 'listening');
const baseUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;
const routes = [{ kind: 'openai', baseUrl, modelId: 'slow', apiKey: 'key', timeoutMs: 60_000 }];
for (const key of credentials) await sendJson(`${url}/v1/roles/main`, key, { routes }, 'PUT');
sendToParent({});

const actions = new Map([
  ['start', start],
  ['stop', stop],
  ['count', async () => sendToParent({ trips: answered })],
]);
process.stdin.on('data', (line) => void actions.get(String(line).trim())?.());
process.stdin.on('end', closeConnections);
process.stdin.ref?.();
