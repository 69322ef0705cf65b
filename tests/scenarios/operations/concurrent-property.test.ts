import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { toolOperations } from '@baton/operations';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { connectMcpClient } from '../../harness/mcp-client.ts';
import { runAtOnce } from './concurrent-run.ts';
import { concurrentSteps, STEP_KINDS } from './concurrent-steps.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
console.log(`concurrent steps: SEED=${seed}`);
const RUNS = 6;

let baton: InProcessDeployment;
let clients: readonly Client[];
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis.disconnect();
  await baton.stop();
});

/** These write a task anew, and so what others have noted on it, or write nothing. Their hostile answers are in hostile-answers.test.ts. */
const NO_STEPS: readonly string[] = ['scope_up_task', 'scope_down_task', 'research'];

test('every operation of the catalogue is a step', () => {
  const stepped = new Set([...Object.values(STEP_KINDS).map(({ tool }) => tool), ...NO_STEPS]);
  expect([...toolOperations.keys()].filter((name) => !stepped.has(name))).toEqual([]);
});

test('operations and tools at once on one project keep its invariants, and each commits exactly once', {
  timeout: 240_000,
}, async () => {
  const { apiKey, redisUrl } = baton;
  const target = { clients, urls: [baton.url(0), baton.url(1)], apiKey, redis, redisUrl };
  let runs = 0;
  const property = fc.asyncProperty(concurrentSteps, (steps) =>
    runAtOnce(target, steps, `property-${++runs}`),
  );
  // What runs at once is not the same twice: a failure is told as it was, and not made smaller.
  await fc.assert(property, { seed, numRuns: RUNS, endOnFailure: true });
});
