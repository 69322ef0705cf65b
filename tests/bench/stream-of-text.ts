import { callToolForContent } from './processes/project-calls.ts';
import { median } from '../harness/statistics.ts';
import { RedisCallCounter } from '../harness/redis-traffic.ts';
import { batonSubject, RunningSubject } from './subjects/subject.ts';

const CHUNKS = 500;
const DELTA = 'Some forty characters of a chunk of text. ';

/** Prints what a chunk of a streamed answer costs in Redis calls and time, and what the answer that ends the stream does. */
export async function measureAndPrintStreamOfText(runs: number): Promise<void> {
  const running = await RunningSubject.start(batonSubject());
  await streamOnce(running);
  const times = [];
  for (let run = 0; run < runs; run++) times.push(await streamOnce(running));
  // Counted apart: MONITOR slows Redis down.
  const counted = await streamOnce(running, { counts: true });
  const chunk = median(times.map(({ chunksMs }) => chunksMs)) / CHUNKS;
  const end = median(times.map(({ endMs }) => endMs));
  console.log(
    `A streamed answer of ${CHUNKS} chunks: ${(counted.calls / CHUNKS).toFixed(2)} Redis calls and ${chunk.toFixed(2)} ms a chunk; ` +
      `the answer that ends it takes ${end.toFixed(1)} ms`,
  );
  await running.end();
}

async function streamOnce({ endpoint, redis }: RunningSubject, { counts = false } = {}) {
  const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
  const delegatedCallDetails = { originalCommand: 'bench', serviceType: 'streamText', requestParameters };
  const { interactionId } = await callToolForContent<{ interactionId: string }>(endpoint, 'agent_llm', {
    delegatedCallDetails,
  });
  const post = (agentLLMResponse: object) =>
    callToolForContent<{ outcome?: { status: string; result: { response: string } } }>(
      endpoint,
      'agent_llm',
      { interactionId, agentLLMResponse, waitMs: 20_000 },
    );
  const counter = counts ? await RedisCallCounter.open(redis.url) : undefined;
  const begun = performance.now();
  for (let sequence = 0; sequence < CHUNKS; sequence++)
    await post({ status: 'streaming', sequence, delta: DELTA });
  const chunksMs = performance.now() - begun;
  const calls = (await counter?.close()) ?? 0;
  const ended = performance.now();
  const { outcome } = await post({ status: 'success', chunks: CHUNKS, data: {} });
  if (outcome?.result.response !== DELTA.repeat(CHUNKS))
    throw new Error('the text is not that of its chunks');
  return { chunksMs, calls, endMs: performance.now() - ended };
}
