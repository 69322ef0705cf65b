import { BatonError, type Json, type JsonObject } from '@baton/protocol';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  all,
  askAgent,
  type Program,
  type ProgramDefinition,
  readProject,
  sleep,
} from '../program/effect.ts';
import { type Entry, formatEntry, parseEntry } from '../program/journal.ts';
import { replayProgram } from '../testing/replay-program.ts';
import { buildDelegatedCall } from '../testing/program-builders.ts';
import { seededRandom } from '../testing/fault-injection.ts';
import type { Budgets, FunctionSet } from './agent-call.ts';
import { runAgentCall } from './run-agent-call.ts';

/** What an agent does with a request, as a transcript has it. */
const act = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ do: 'good' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('bad' as const), data: fc.jsonValue({ maxDepth: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('error' as const),
      type: fc.constantFrom('rate_limit_error', 'api_error', 'overloaded_error', 'authentication_error'),
      retryAfter: fc.option(fc.oneof(fc.double(), fc.string(), fc.nat()), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'silent' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      form: fc.constantFrom('toolCalls', 'tool_calls', 'tool_use'),
      // Few names and arguments, so that calls repeat.
      calls: fc.array(
        fc.record({
          id: fc.constantFrom('c1', 'c2', '', 7),
          name: fc.constantFrom('ask', 'read', 'nap', 'refuse', 'unknown', ''),
          arguments: fc.constantFrom<Json[]>({}, { a: 1 }, '{"a":1}', '{"a":', [1], null),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('many' as const), count: fc.integer({ min: 90, max: 500 }) }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const budgets = fc.record({
  maxExceptionRetries: fc.nat(3),
  maxInterruptSteps: fc.nat(5),
  maxRecalls: fc.nat(3),
});

const FUNCTIONS = ['ask', 'read', 'nap', 'refuse'];
const functions: FunctionSet = {
  tools: FUNCTIONS.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  atOnce: 2,
  *run({ name, arguments: args }) {
    if (name === 'ask')
      return { ok: true, result: JSON.stringify(yield* askAgent(buildDelegatedCall(JSON.stringify(args)))) };
    if (name === 'read') return { ok: true, result: (yield* readProject('p', () => 1)) as Json };
    if (name === 'refuse') throw new BatonError('project_not_found', 'none');
    yield* sleep(5);
    return { ok: true, result: null };
  },
};

function programOf(given: Budgets): ProgramDefinition<null> {
  return {
    name: 'transcript',
    version: 1,
    *run(): Program<JsonObject> {
      const call = {
        role: 'main' as const,
        summary: 's',
        messages: [{ role: 'user' as const, content: 'q' }],
        budgets: given,
        functions,
        parser: {
          *read(data: Json): Program<{ ok: true; value: number } | { ok: false; problem: string }> {
            const n = (data as { good?: unknown } | null)?.good;
            return n === 1 ? { ok: true, value: 1 } : { ok: false, problem: 'not good' };
          },
        },
      };
      // A second call beside it, so that segments end while the first still waits.
      const [outcome] = yield* all<unknown>([() => runAgentCall(call), () => sleep(1)]);
      return { outcome } as JsonObject;
    },
  };
}

function answerOf(act: Act): Entry {
  const kind = 'llm' as const;
  const success = (data: unknown): Entry => ({ kind, ok: true, value: { status: 'success', data } });
  switch (act.do) {
    case 'good':
      return success({ good: 1, text: 'good' });
    case 'bad':
      return success(act.data);
    case 'error': {
      const { type, retryAfter } = act;
      return {
        kind,
        ok: true,
        value: { status: 'error', errorDetails: { message: 'no', type, retryAfter } },
      };
    }
    case 'silent':
      return { kind, ok: false, error: { code: 'interaction_expired', message: 'too late' } };
    case 'many':
      return success({
        toolCalls: Array.from({ length: act.count }, (_, n) => ({
          id: `m${n}`,
          name: 'ask',
          arguments: { n },
        })),
      });
    case 'call': {
      const { form, calls } = act;
      if (form === 'toolCalls') return success({ toolCalls: calls });
      if (form === 'tool_use')
        return success({
          content: calls.map(({ arguments: input, ...call }) => ({ type: 'tool_use', ...call, input })),
        });
      return success({
        tool_calls: calls.map(({ id, name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: args },
        })),
      });
    }
  }
}

interface Run {
  readonly end: string;
  readonly requests: ReadonlyMap<string, string>;
  readonly result: JsonObject | undefined;
  readonly code: string | undefined;
  readonly calls: number;
}

/**
 * Runs a transcript: the n-th attempt of the call gets its n-th act. `chance` decides where segments end: which of what is
 * awaited is answered in one, and whether a collapse is written or lost.
 */
function runTranscript(acts: readonly Act[], given: Budgets, routes: number, chance: () => number): Run {
  const program = programOf(given);
  const store = new Map<string, string>();
  const requests = new Map<string, string>();
  let calls = 0;
  for (let turn = 0; turn < 2_000; turn++) {
    const journal = new Map([...store].map(([path, text]) => [path, parseEntry(text)]));
    const step = replayProgram(program, null, journal);
    if (step.status !== 'awaiting') {
      const ended = step.status === 'completed' ? step.result : step.error;
      const end = `${step.status} ${JSON.stringify(ended)}`;
      const code = step.status === 'failed' ? step.error.code : undefined;
      return { end, requests, calls, code, result: step.status === 'completed' ? step.result : undefined };
    }
    for (const { path, entry, drop } of step.collapsed) {
      if (chance() < 0.3) continue;
      for (const gone of drop) store.delete(gone);
      store.set(path, formatEntry(entry));
    }
    for (const { path, effect } of step.awaited) {
      const request = JSON.stringify(effect);
      expect(requests.get(path) ?? request).toBe(request);
      requests.set(path, request);
    }
    const some = step.awaited.filter(() => chance() < 0.5);
    for (const { path, effect } of some.length > 0 ? some : step.awaited.slice(0, 1)) {
      const { kind } = effect;
      let entry: Entry = { kind, ok: true, value: null };
      if (kind === 'lookup') entry = { kind, ok: true, value: { routes } };
      else if (effect.kind === 'read') entry = { kind, ok: true, value: 1 };
      else if (effect.kind === 'llm') {
        // The call's own requests stand directly in its branch; those of its functions further in.
        const isOwn = effect.call.summary === 's';
        if (isOwn) calls++;
        const answered = isOwn ? acts[(effect.call.attempt - 1) % acts.length] : { do: 'good' as const };
        entry = answerOf(answered ?? { do: 'good' });
      }
      store.set(path, formatEntry(entry));
    }
  }
  throw new Error('the call does not end');
}

const ENDS = new Set(['answer_invalid', 'agent_error', 'interaction_expired']);

test('every transcript ends in a result or a named error within its budgets, wherever segments end, and the same way each time', {
  timeout: 60_000,
}, () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.array(act, { minLength: 1, maxLength: 16 }),
      budgets,
      fc.integer({ min: 1, max: 3 }),
      fc.nat(),
      (acts, given, routes, luck) => {
        const straight = runTranscript(acts, given, routes, () => 1);
        const broken = runTranscript(acts, given, routes, seededRandom(luck));
        expect(broken.end).toBe(straight.end);
        expect(Object.fromEntries(broken.requests)).toEqual(Object.fromEntries(straight.requests));

        const most =
          1 + given.maxExceptionRetries + given.maxInterruptSteps + given.maxRecalls + (routes - 1);
        expect(straight.calls).toBeLessThanOrEqual(most);
        const end = straight.code ?? 'completed';
        seen.set(end, (seen.get(end) ?? 0) + 1);
        if (straight.code === undefined) requireWholeDialog(straight.result);
        else expect(ENDS).toContain(straight.code);
      },
    ),
    { seed: randomSeed, numRuns: 500 },
  );
  for (const end of ['completed', ...ENDS]) expect(seen.get(end) ?? 0, end).toBeGreaterThan(10);
});

/** Every call of a function has one result, at once after its turn; no id comes twice; the end is words. */
function requireWholeDialog(result: JsonObject = {}): void {
  const { added } = result['outcome'] as unknown as {
    added: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[];
  };
  const ids: string[] = [];
  for (let at = 0; at < added.length; at++) {
    const asked = added[at]?.tool_calls?.map(({ id }) => id) ?? [];
    const answered = added.slice(at + 1, at + 1 + asked.length).map(({ tool_call_id }) => tool_call_id);
    expect(answered).toEqual(asked);
    ids.push(...asked);
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(added.at(-1)).toMatchObject({ role: 'assistant', content: 'good' });
}
