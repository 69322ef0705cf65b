import { quantile } from '../../harness/statistics.ts';
import { sendToParent } from './parent-process.ts';
import { DIALECTS, dialectTrip } from './dialect-trips.ts';
import { callToolForText, closeConnections, sendJson } from './minimal-http-client.ts';

/**
 * The load: a closed loop of `concurrency` round trips for `seconds`, each a park and an answer with its result.
 * `load-client <baton|delegated|add_task|directive|input_required|task|plain> <urls> <keys> <concurrency> <seconds> <seconds to warm up> [<characters>]` prints trips and latencies;
 * with characters the text of each request is so long.
 * `load-client park <urls> <keys> <concurrency> <count>` only parks calls.
 */
const [kind = '', urls = '', keys = '', concurrency = '1', amount = '3', warm = '5', length = ''] =
  process.argv.slice(2);
const replicas = urls.split(',');
const credentials = keys.split(',');
/** Warming up needs many trips: at concurrency 1 most code would be compiled only during the measurement. */
const WARM_LANES = 32;

const SENTENCE = 'Say something about the weather in a town by the sea, in a few words, as a sailor would. ';
const TEXT = length === '' ? SENTENCE.repeat(3) : SENTENCE.repeat(40).slice(0, Number(length));
const VALUE = 'A stiff breeze from the west, and rain before the evening comes.';

/** Each call of a trip goes to the next replica. */
function call(n: number, turn: number, name: string, args: object): Promise<string> {
  const key = credentials[n % credentials.length] ?? '';
  return callToolForText(replicas[(n + turn) % replicas.length] ?? '', key, name, args, n);
}

let requestBytes = 0;
/** What is called, and what its request is answered with; each lane has a project of its own, which grows. */
const CALLS: Readonly<Record<string, (n: number) => { name: string; args: object; data: object }>> = {
  baton: () => ({ name: 'bench_echo', args: { text: TEXT }, data: { object: { value: VALUE } } }),
  delegated: () => ({
    name: 'agent_llm',
    args: {
      delegatedCallDetails: {
        originalCommand: 'bench',
        role: 'main',
        serviceType: 'generateText',
        requestParameters: { messages: [{ role: 'user', content: TEXT }] },
      },
    },
    data: { text: VALUE },
  }),
  add_task: (n) => ({
    name: 'add_task',
    args: { projectRoot: `bench-${n % Number(concurrency)}`, prompt: SENTENCE },
    data: { object: { title: `Task ${n}`, description: VALUE, details: VALUE, testStrategy: VALUE } },
  }),
};
const callOf = CALLS[kind] ?? CALLS['baton']!;

async function park(n: number): Promise<string> {
  const { name, args } = callOf(n);
  const parked = await call(n, 0, name, args);
  // All are equal.
  if (requestBytes === 0) requestBytes = bytesOfRequest(parked);
  const [, interactionId] = /"interactionId":"([^"]+)"/.exec(parked) ?? [];
  if (interactionId === undefined) throw new Error(parked);
  return interactionId;
}

function bytesOfRequest(reply: string): number {
  const { result } = JSON.parse(reply) as { result: { structuredContent: { llmRequestForAgent: object } } };
  return JSON.stringify(result.structuredContent.llmRequestForAgent).length;
}

async function batonTrip(n: number): Promise<void> {
  const interactionId = await park(n);
  const agentLLMResponse = { status: 'success', data: callOf(n).data };
  const done = await call(n, 1, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
  if (!done.includes('"status":"completed"')) throw new Error(done);
}

async function tripOfDialect(n: number): Promise<void> {
  const urlOf = (turn: number) => replicas[(n + turn) % replicas.length] ?? '';
  const key = credentials[n % credentials.length] ?? '';
  const done = await dialectTrip(kind, callOf(n), VALUE, { urlOf, key });
  if (!done.includes('"status":"completed"')) throw new Error(done);
}

async function controlTrip(): Promise<void> {
  const [url = ''] = replicas;
  const parked = JSON.parse(await sendJson(`${url}/park`, '', { text: TEXT })) as { id: string };
  const done = await sendJson(`${url}/answer`, '', { id: parked.id, answer: { value: VALUE } });
  if (!done.includes(VALUE)) throw new Error(done);
}

const trip = kind in CALLS ? batonTrip : DIALECTS.includes(kind) ? tripOfDialect : controlTrip;
const latencies: number[] = [];
async function runLane(until: number, first: number, lanes: number, record: boolean): Promise<void> {
  for (let n = first; performance.now() < until; n += lanes) {
    const begun = performance.now();
    await trip(n);
    if (record) latencies.push(performance.now() - begun);
  }
}

const run = (milliseconds: number, lanes: number, record: boolean) =>
  Promise.all(
    Array.from({ length: lanes }, (_, n) => runLane(performance.now() + milliseconds, n, lanes, record)),
  );
if (kind === 'park') {
  const lanes = Number(concurrency);
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let n = lane; n < Number(amount); n += lanes) await park(n);
    }),
  );
  sendToParent({});
} else {
  await run(Number(warm) * 1_000, Math.max(Number(concurrency), WARM_LANES), false);
  sendToParent({});
  const begun = performance.now();
  await run(Number(amount) * 1_000, Number(concurrency), true);
  const elapsed = (performance.now() - begun) / 1_000;
  sendToParent({
    trips: latencies.length,
    perSecond: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    requestBytes,
  });
}
closeConnections();
