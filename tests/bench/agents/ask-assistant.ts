import { quantile } from '../../harness/statistics.ts';
import { closeConnections } from '../processes/minimal-http-client.ts';
import { sendToParent } from '../processes/parent-process.ts';
import type { Endpoint } from '../processes/project-calls.ts';
import { answer, ask, fetchRequest } from './assistant-calls.ts';

/**
 * A closed loop of turns of the assistant, each of four delegated calls: the primary calls two specialists, both are answered at once,
 * and the primary goes on with their answers. Each request is read before it is answered: of the two specialists the reply has the
 * first whole, and the second is fetched. `ask-assistant <url> <key> <turns at once> <seconds> <seconds to warm up>` reports when it has warmed up, then
 * its delegated calls, their latencies and the bytes of a request.
 */
const [url = '', key = '', lanes = '1', seconds = '3', warm = '5'] = process.argv.slice(2);
const at: Endpoint = { url, key };
const CALLS_OF_TURN = 4;
const WARM_LANES = 32;
const MESSAGE = 'Is the harbour open, and can a small program tell me each morning? '.repeat(4);
const SAID = 'A stiff breeze from the west, and rain before the evening comes.';
const TOOL_CALLS = [
  { id: 'call_1', name: 'web_search', arguments: { query: 'harbour opening hours' } },
  { id: 'call_2', name: 'coder', arguments: { message: 'a program that reads opening hours' } },
];

/** Returns the requests of the turn. */
async function runTurn(): Promise<readonly object[]> {
  const first = await ask(at, MESSAGE);
  const { pending: one } = await answer(at, first.interactionId, { toolCalls: TOOL_CALLS });
  const specialists = (one?.pendingInteractions ?? []).map(({ interactionId }) => interactionId);
  const [, second] = specialists;
  if (one === undefined || second === undefined || specialists.length !== 2)
    throw new Error(`there are ${specialists.length} specialists to answer`);
  const fetched = await fetchRequest(at, second);
  const outcomes = await Promise.all(specialists.map((id) => answer(at, id, { text: SAID })));
  const next = outcomes
    .map(({ pending }) => pending)
    .find((pending) => pending !== undefined && !specialists.includes(pending.interactionId));
  if (next === undefined) throw new Error('the primary does not go on');
  const { status } = await answer(at, next.interactionId, { text: SAID });
  if (status !== 'completed') throw new Error(`a turn is ${status}`);
  return [first, one, fetched, next].map(({ llmRequestForAgent }) => llmRequestForAgent);
}

const latencies: number[] = [];
async function run(milliseconds: number, count: number, record: boolean): Promise<void> {
  const until = performance.now() + milliseconds;
  const lane = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await runTurn();
      if (record) latencies.push((performance.now() - begun) / CALLS_OF_TURN);
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
}

await run(Number(warm) * 1_000, Math.max(Number(lanes), WARM_LANES), false);
sendToParent({});
const begun = performance.now();
await run(Number(seconds) * 1_000, Number(lanes), true);
const elapsed = (performance.now() - begun) / 1_000;
const trips = latencies.length * CALLS_OF_TURN;
sendToParent({
  trips,
  perSecond: trips / elapsed,
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
  requestBytes: JSON.stringify(await runTurn()).length / CALLS_OF_TURN,
});
closeConnections();
