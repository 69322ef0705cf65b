import { baton, Serving } from './contender.ts';
import { usedMemory } from './redis-view.ts';

const COUNT = 10_000;

/** What is parked costs: bytes of Redis and of a gateway's heap per task, with many of them parked. */
export async function measureParked(): Promise<{ count: number; redis: number; heap: number }> {
  const serving = await Serving.start(baton());
  const [gateway] = serving.processes;
  if (gateway === undefined) throw new Error('no gateway');
  // What a process keeps anyway (compiled code, connections, caches) is there before the first measurement.
  await serving.park(COUNT / 4);
  const before = { redis: await usedMemory(serving.redis.url), heap: await gateway.heap() };
  await serving.park(COUNT);
  const after = { redis: await usedMemory(serving.redis.url), heap: await gateway.heap() };
  await serving.end();
  return {
    count: COUNT,
    redis: (after.redis - before.redis) / COUNT,
    heap: (after.heap - before.heap) / COUNT,
  };
}
