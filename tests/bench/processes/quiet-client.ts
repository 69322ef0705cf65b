import { quantile } from '../../harness/statistics.ts';
import { callToolForText, closeConnections } from './minimal-http-client.ts';
import { sendToParent } from './parent-process.ts';

/**
 * A tenant that does one round trip after the other, with pauses: `quiet-client <urls> <key>`. For each line of input it
 * measures for so many seconds, and prints trips and latencies.
 */
const [urls = '', key = ''] = process.argv.slice(2);
const replicas = urls.split(',');
/** So that its trips are within the default rate. */
const PAUSE_MS = 25;

let turn = 0;
async function trip(): Promise<number> {
  const url = replicas[turn++ % replicas.length] ?? '';
  const begun = performance.now();
  const parked = await callToolForText(url, key, 'bench_echo', { text: 'A question of the usual length.' });
  const [, interactionId] = /"interactionId":"([^"]+)"/.exec(parked) ?? [];
  if (interactionId === undefined) throw new Error(parked);
  const agentLLMResponse = { status: 'success', data: { object: { value: 'An answer.' } } };
  const done = await callToolForText(url, key, 'agent_llm', {
    interactionId,
    agentLLMResponse,
    waitMs: 20_000,
  });
  if (!done.includes('"status":"completed"')) throw new Error(done);
  return performance.now() - begun;
}

async function measure(seconds: number): Promise<void> {
  const latencies: number[] = [];
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; ) {
    latencies.push(await trip());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  sendToParent({ trips: latencies.length, p50, p99 });
}

let measured = Promise.resolve();
process.stdin.on('data', (seconds) => {
  measured = measured.then(() => measure(Number(String(seconds))));
});
process.stdin.on('end', closeConnections);
// Between measurements nothing else keeps the process alive.
process.stdin.ref?.();
