import { batonSubject, RunningSubject } from './subject.ts';
import { usedMemory } from './redis-traffic.ts';

const COUNT = 10_000;

/** What is parked costs: bytes of Redis and of a gateway's heap per task, with many of them parked. */
export async function measureParked(): Promise<{ count: number; redis: number; heap: number }> {
  const running = await RunningSubject.start(batonSubject());
  const [gateway] = running.processes;
  if (gateway === undefined) throw new Error('no gateway');
  // What a process keeps anyway (compiled code, connections, caches) is there before the first measurement.
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
