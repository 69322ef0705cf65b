import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { openTracing } from './open-tracing.ts';

test('two roles of one process trace, and neither is warned of the other', async () => {
  const warnings: unknown[] = [];
  const log = { warn: (facts: unknown) => warnings.push(facts) } as unknown as Logger;
  const gateway = await openTracing('gateway', 'g', '0', log);
  const worker = await openTracing('worker', 'w', '0', log);
  await Promise.all([gateway.close(), worker.close()]);
  expect(warnings).toEqual([]);
});
