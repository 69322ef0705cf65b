import { beforeEach, expect, test, vi } from 'vitest';
import { BufferBudget, type HeldBytes } from './buffer-budget.ts';
import { DEFAULT_EDGE_LIMITS } from './edge-limits.ts';
import { EdgeMetrics } from './edge-metrics.ts';

let metrics: EdgeMetrics;
let bufferBudget: BufferBudget;
beforeEach(() => {
  metrics = new EdgeMetrics();
  bufferBudget = new BufferBudget(
    { ...DEFAULT_EDGE_LIMITS, bufferBytes: 100, bufferBytesPerKey: 30 },
    metrics,
  );
});

const held = (key: string, bytes: number) => ({ key, bytes, close: vi.fn<() => void>() }) satisfies HeldBytes;
const total = async () => (await metrics.bufferBytes.get()).values[0]?.value;

test('a key that holds its bound is refused until it releases some, and others never are', () => {
  const one = held('a', 30);
  bufferBudget.hold(one);
  expect(() => bufferBudget.requireRoom('a')).toThrow(/hold 30 bytes, the limit is 30/);
  expect(() => bufferBudget.requireRoom('b')).not.toThrow();
  bufferBudget.release(one);
  bufferBudget.release(one);
  expect(() => bufferBudget.requireRoom('a')).not.toThrow();
});

test('requests that began before the bound was reached may double it, and then the oldest is closed', async () => {
  const [one, two, three] = [held('a', 25), held('a', 25), held('a', 25)];
  for (const buffer of [one, two, three]) bufferBudget.hold(buffer);
  expect([one, two, three].map(({ close }) => close.mock.calls.length)).toEqual([1, 0, 0]);
  expect(await total()).toBe(50);
});

test("over the process's bound the key that holds the most gives way, never the one that has just come alone", async () => {
  const heavy = [held('a', 25), held('a', 25)];
  const light = [held('b', 20), held('c', 20), held('d', 20)];
  for (const buffer of [...heavy, ...light]) bufferBudget.hold(buffer);
  expect(heavy.map(({ close }) => close.mock.calls.length)).toEqual([1, 0]);
  for (const { close } of light) expect(close).not.toHaveBeenCalled();
  expect(await total()).toBe(85);
  const huge = held('e', 1_000);
  bufferBudget.hold(huge);
  expect(huge.close).not.toHaveBeenCalled();
});

test('what was released leaves nothing behind', async () => {
  const all = Array.from({ length: 10 }, (_, n) => held(`k${n}`, 5));
  for (const buffer of all) bufferBudget.hold(buffer);
  for (const buffer of all) bufferBudget.release(buffer);
  expect(await total()).toBe(0);
});
