import { applyProjectCommand, type Program, sleep } from '@baton/engine';
import type { Operation } from '@baton/operations';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/** Bugs for the suite's own test, one of each kind that the suite must find. */

const BLOCK_MS = 300;

/** Uses so many milliseconds of CPU time. */
function burnCpu(milliseconds: number): void {
  const start = process.cpuUsage();
  for (let used = 0; used < milliseconds * 1_000; ) {
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}

function buggyOperation(name: string, run: () => Program<{ done: boolean }>): Operation {
  return {
    name,
    version: 1,
    title: name,
    category: 'delegation',
    description: 'A fault.',
    input: z.strictObject({ text: z.string().optional() }),
    result: z.object({ done: z.boolean() }),
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run,
    summarize: () => 'Done.',
  };
}

const faults = [
  buggyOperation('planted_throw', function* () {
    throw new TypeError('planted');
  }),
  buggyOperation('planted_block', function* () {
    burnCpu(BLOCK_MS);
    return { done: true };
  }),
  buggyOperation('planted_hang', function* () {
    // The call waits for the commit; then the task sleeps far beyond any limit.
    yield* applyProjectCommand('planted', {
      command: 'add_tasks',
      tag: 'master',
      mode: 'append',
      tasks: [{ id: 1, title: 'T', description: '' }],
    });
    yield* sleep(60_000);
    return { done: true };
  }),
  buggyOperation('planted_lie', function* () {
    return { done: 'no' } as unknown as { done: boolean };
  }),
];

export const buggyOperations: ReadonlyMap<string, Operation> = new Map(
  faults.map((operation) => [operation.name, operation]),
);

/** Adds routes that the OpenAPI document does not describe. */
export function addBuggyRoutes(fastify: FastifyInstance): void {
  void fastify.register(async (app) => {
    const config = { isPublic: true };
    app.get('/planted/throw', { config }, async () => {
      throw new TypeError('planted');
    });
    app.get('/planted/block', { config }, async () => {
      burnCpu(BLOCK_MS);
      return {};
    });
    app.get('/planted/hang', { config }, () => new Promise(() => {}));
    app.get('/planted/echo', { config }, async ({ headers }) => ({ said: headers.authorization ?? '' }));
  });
}
