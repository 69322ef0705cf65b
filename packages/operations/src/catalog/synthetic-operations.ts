import { all, askPerson, generateObject, type PersonReply, type Program, sleep } from '@baton/engine';
import { z } from 'zod';
import { indexByName } from '../tool-operations/tool-operations.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { ROLE_PARAMETERS } from '../definition/role-parameters.ts';
import type { Operation, ToolHints } from '../definition/operation.ts';

/** Operations for tests and the benchmark only: small, without a project. */

const hints: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const text = z.string().max(2_000);
const answer = z.object({ value: z.string() });

function* ask(content: string): Program<string> {
  const { value } = yield* generateObject({
    role: 'main',
    ...ROLE_PARAMETERS.main,
    messages: [{ role: 'user', content }],
    summary: 'Echo',
    schema: answer,
    objectName: 'echo',
  });
  return value;
}

type Echo = { text: string; schemaHint?: string | undefined };

/** One delegated call, nothing else. */
const benchEcho: Operation<Echo, { value: string }> = {
  name: 'bench_echo',
  version: 1,
  title: 'Echo',
  category: 'delegation',
  description: 'Asks once for a value.',
  input: z.strictObject({ text, schemaHint: text.optional() }),
  result: answer,
  hints,
  *run({ text, schemaHint }) {
    return { value: yield* ask(schemaHint === undefined ? text : `${text}\n${schemaHint}`) };
  },
  summarize: ({ value }) => `Echo: ${value}`,
};

/** `n` delegated calls side by side. */
const benchFan: Operation<{ n: number }, { values: string[] }> = {
  name: 'bench_fan',
  version: 1,
  title: 'Fan',
  category: 'delegation',
  description: 'Asks n times at once.',
  input: z.strictObject({ n: integerOrDigits(z.int().min(1).max(64)) }),
  result: z.object({ values: z.array(z.string()) }),
  hints,
  *run({ n }) {
    const branches = Array.from({ length: n }, (_, index) => () => ask(`Give a value for branch ${index}.`));
    return { values: yield* all(branches) };
  },
  summarize: ({ values }) => `${values.length} values.`,
};

/** Throws a TypeError after the first answer: only its own task may fail. */
const benchPoison: Operation<{ text: string }, never> = {
  name: 'bench_poison',
  version: 1,
  title: 'Poison',
  category: 'delegation',
  description: 'Asks once, then breaks.',
  input: z.strictObject({ text }),
  result: z.never(),
  hints,
  *run({ text }) {
    yield* ask(text);
    throw new TypeError('bench_poison is broken on purpose');
  },
  summarize: () => 'Never.',
};

/** Waits by the clock before it asks. */
const benchSleep: Operation<{ ms: number; text: string }, { value: string }> = {
  name: 'bench_sleep',
  version: 1,
  title: 'Sleep',
  category: 'delegation',
  description: 'Sleeps, then asks once.',
  input: z.strictObject({
    ms: integerOrDigits(z.int().min(0).max(600_000)),
    text: text.default('Give a value.'),
  }),
  result: answer,
  hints,
  *run({ ms, text }) {
    yield* sleep(ms);
    return { value: yield* ask(text) };
  },
  summarize: ({ value }) => `Awake: ${value}`,
};

interface Confirmation {
  action: PersonReply['action'];
  content?: Record<string, unknown> | undefined;
}

/** Asks a person. */
const benchConfirm: Operation<{ question: string }, Confirmation> = {
  name: 'bench_confirm',
  version: 1,
  title: 'Confirm',
  category: 'delegation',
  description: 'Asks a person once for a yes or no, and why.',
  input: z.strictObject({ question: text }),
  result: z.object({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.unknown()).optional(),
  }),
  hints,
  *run({ question }) {
    return {
      ...(yield* askPerson({
        message: question,
        schema: {
          type: 'object',
          properties: {
            ok: { type: 'boolean', title: 'Yes' },
            reason: { type: 'string', title: 'Why', maxLength: 200 },
          },
          required: ['ok'],
        },
        summary: 'Confirm',
      })),
    };
  },
  summarize: (reply) => `The person's reply: ${reply.action}.`,
};

export const syntheticOperations = indexByName<Operation>(
  benchEcho,
  benchFan,
  benchPoison,
  benchSleep,
  benchConfirm,
);
