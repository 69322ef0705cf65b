import { batonSubject, RunningSubject } from './subjects/subject.ts';
import { usedMemory } from '../harness/redis-traffic.ts';

const COUNT = 10_000;

/** Bytes of Redis and of a gateway's heap per parked task. */
export async function measureParkedTaskSize(): Promise<{ count: number; redis: number; heap: number }> {
  const running = await RunningSubject.start(batonSubject());
  const [gateway] = running.processes;
  if (gateway === undefined) throw new Error('no gateway');
  // Compiled code, connections and caches must exist before the first measurement.
  await running.parkCalls(COUNT / 4);
  const before = { redis: await usedMemory(running.redis.url), heap: await gateway.readHeap() };
  await running.parkCalls(COUNT);
  const after = { redis: await usedMemory(running.redis.url), heap: await gateway.readHeap() };
  await running.end();
  return {
    count: COUNT,
    redis: (after.redis - before.redis) / COUNT,
    heap: (after.heap - before.heap) / COUNT,
  };
}
