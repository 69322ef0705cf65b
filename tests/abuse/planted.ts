import { commitProject, type Program, sleep } from '@baton/engine';
import type { Operation } from '@baton/operations';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

/** Faults for the suite's own test: each is of a kind that the suite exists to find. */

const BLOCK_MS = 300;

/** Burns so much of the processor's time, whatever else the machine does. */
function burn(milliseconds: number): void {
  const start = process.cpuUsage();
  for (let used = 0; used < milliseconds * 1_000; ) {
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}

function planted(name: string, run: () => Program<{ done: boolean }>): Operation {
  return {
    name,
    version: 1,
    title: name,
    description: 'A fault.',
    input: z.strictObject({ text: z.string().optional() }),
    result: z.object({ done: z.boolean() }),
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run,
    summarize: () => 'Done.',
  };
}

const faults = [
  planted('planted_throw', function* () {
    throw new TypeError('planted');
  }),
  planted('planted_block', function* () {
    burn(BLOCK_MS);
    return { done: true };
  }),
  planted('planted_hang', function* () {
    // What a worker carries out is waited for; that the task then sleeps is what nobody who calls expects.
    yield* commitProject('planted', {
      command: 'add_tasks',
      tag: 'master',
      mode: 'append',
      tasks: [{ id: 1, title: 'T', description: '' }],
    });
    yield* sleep(60_000);
    return { done: true };
  }),
  planted('planted_lie', function* () {
    return { done: 'no' } as unknown as { done: boolean };
  }),
];

export const plantedOperations: ReadonlyMap<string, Operation> = new Map(
  faults.map((operation) => [operation.name, operation]),
);

/** Routes that no document knows of. */
export function plantRoutes(fastify: FastifyInstance): void {
  void fastify.register(async (app) => {
    const config = { open: true };
    app.get('/planted/throw', { config }, async () => {
      throw new TypeError('planted');
    });
    app.get('/planted/block', { config }, async () => {
      burn(BLOCK_MS);
      return {};
    });
    app.get('/planted/hang', { config }, () => new Promise(() => {}));
    app.get('/planted/echo', { config }, async ({ headers }) => ({ said: headers.authorization ?? '' }));
  });
}
