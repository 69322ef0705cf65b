import { readFileSync } from 'node:fs';
import type { Entry } from '@baton/engine';
import { toJsonSchema } from '@baton/protocol';
import { replayProgram } from '@baton/engine/testing/replay-program';
import {
  applyCommand,
  type ProjectCommand,
  parsePrdInputSchema,
  toolOperations,
  type Project,
} from '@baton/operations';
import { findInvariantViolations } from '@baton/operations/testing/project-invariants';
import { DEFAULT_LIMITS, type DelegatedCall, type JsonObject, type LlmRequest } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildSchemaValue } from './schema-value.ts';
import { ANSWER_FAULTS } from './answer-variants.ts';
import { parseRequestFacts } from './request-facts.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { createScriptedAgent, type ScriptedAgent } from './scripted-agent.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const FIXTURES = ['prd-fleet.md', 'prd-praxis.md', 'prd-library.txt'] as const;
const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

const program = toolOperations.get('parse_prd');
if (program === undefined) throw new Error('parse_prd is not there');

/** Runs parse_prd to its end, each request answered by the agent. */
function parse(agent: ScriptedAgent, input: Record<string, unknown>, before?: Project) {
  const journal = new Map<string, Entry>();
  const calls: DelegatedCall[] = [];
  let project = before;
  const parsed = parsePrdInputSchema.parse(input);
  for (;;) {
    const step = replayProgram<unknown>(program as NonNullable<typeof program>, parsed, journal);
    if (step.status !== 'awaiting') return { step, calls, project };
    for (const { path, effect } of step.awaited) {
      const { kind } = effect;
      if (effect.kind === 'llm') {
        calls.push(effect.call);
        journal.set(path, { kind, ok: true, value: agent.answer(effect.call.request) });
      } else if (effect.kind === 'read') {
        journal.set(path, { kind, ok: true, value: effect.select(project as never, DEFAULT_LIMITS) });
      } else if (effect.kind === 'commit') {
        const applied = applyCommand(project, effect.command as ProjectCommand, NOW);
        project = applied.project;
        journal.set(path, { kind, ok: true, value: applied.outcome });
      } else {
        const value = kind === 'lookup' ? { routes: 1 } : null;
        journal.set(path, { kind, ok: true, value });
      }
    }
  }
}

describe('the fixtures are documents of realistic size', () => {
  it.each([
    ['prd-fleet.md', 20_000],
    ['prd-praxis.md', 8_000],
    ['prd-library.txt', 5_000],
  ])('%s has more than %i characters', (name, least) => {
    expect(fixture(name).length).toBeGreaterThan(least);
  });
});

describe('an agent without faults', () => {
  it.each(FIXTURES)('plans %s at the first attempt, with text of the document', (name) => {
    const prd = fixture(name);
    const words = prd.replaceAll(/\s+/g, ' ');
    const agent = createScriptedAgent({ seed: 1 });
    const { step, calls, project } = parse(agent, { prd, numTasks: 12 });
    expect(calls).toHaveLength(1);
    expect(step).toMatchObject({ status: 'completed', result: { tasksAdded: 12 } });
    const tasks = project?.tags.get('master')?.tasks ?? [];
    expect(new Set(tasks.map(({ title }) => title)).size).toBe(12);
    for (const { title } of tasks) expect(words).toContain(title.slice(0, 30));
    expect(tasks.some(({ dependencies }) => dependencies.length > 0)).toBe(true);
  });

  it.each([1, 2, 25, 200])('returns the requested number of %i tasks', (numTasks) => {
    const { step } = parse(createScriptedAgent({ seed: 2 }), { prd: fixture('prd-fleet.md'), numTasks });
    expect(step).toMatchObject({ status: 'completed', result: { tasksAdded: numTasks } });
  });

  it('continues existing ids, with dependencies only on its own tasks', () => {
    const agent = createScriptedAgent({ seed: 3 });
    const first = parse(agent, { prd: fixture('prd-library.txt'), numTasks: 5 });
    const second = parse(agent, { prd: fixture('prd-praxis.md'), numTasks: 6, append: true }, first.project);
    expect(second.step).toMatchObject({ status: 'completed', result: { taskIds: [6, 7, 8, 9, 10, 11] } });
    expect(second.project && findInvariantViolations(second.project)).toEqual([]);
    const answer = agent.answer(second.calls[0]?.request as LlmRequest);
    expect(JSON.stringify(answer).replaceAll(/\\n|[\\\s]/g, '')).toContain('"id":6,');
  });
});

describe('an agent with faults', { timeout: 60_000 }, () => {
  it('leads to a plan or a named error, never to an invalid project, for every seed', () => {
    const prd = fixture('prd-library.txt');
    const ends = { completed: 0, failed: 0 };
    for (let seed = 0; seed < 150; seed++) {
      const agent = createScriptedAgent({ seed, wrongRate: 0.5, errorRate: 0.2 });
      const { step, project } = parse(agent, { prd, numTasks: 6 });
      ends[step.status as keyof typeof ends]++;
      if (step.status === 'failed') {
        expect(['answer_invalid', 'agent_error'], `seed ${seed}`).toContain(step.error.code);
        expect(project).toBeUndefined();
      } else {
        expect(step, `seed ${seed}`).toMatchObject({ result: { tasksAdded: 6 } });
        expect(project && findInvariantViolations(project), `seed ${seed}`).toEqual([]);
      }
    }
    expect(ends.completed).toBeGreaterThan(100);
  });

  it.each(ANSWER_FAULTS)('with %s is requested again, or accepted', (fault) => {
    const acceptable = ['duplicate_ids', 'unknown_dependencies', 'cycle', 'prose_around'];
    const agent = createScriptedAgent({ seed: 7, wrongRate: 1, faults: [fault] });
    const { step, calls, project } = parse(agent, { prd: fixture('prd-library.txt'), numTasks: 6 });
    if (acceptable.includes(fault)) {
      expect(calls).toHaveLength(1);
      expect(step).toMatchObject({ status: 'completed', result: { tasksAdded: 6 } });
      expect(project && findInvariantViolations(project)).toEqual([]);
    } else {
      expect(calls).toHaveLength(4);
      expect(step).toMatchObject({ status: 'failed', error: { code: 'answer_invalid' } });
    }
  });

  it('fails only transiently, and at the configured rate', () => {
    const agent = createScriptedAgent({ seed: 1, errorRate: 0.3 });
    const variants = Array.from({ length: 500 }, (_, at) =>
      agent.variantFor(requestOf({ type: 'object' }, `Give ${at}.`)),
    );
    const failed = variants.filter(({ kind }) => kind === 'error').length;
    expect(failed / 500).toBeGreaterThan(0.2);
    expect(failed / 500).toBeLessThan(0.4);
    expect(variants.filter(({ kind }) => kind === 'faulty')).toEqual([]);
  });
});

function requestOf(schema: JsonObject, content: string): LlmRequest {
  return { apiKey: null, modelId: 'any', messages: [{ role: 'user', content }], schema };
}

describe('the same seed and request', () => {
  it('give the same answer; another seed gives another one', () => {
    const request = requestOf(
      toJsonSchema(z.object({ list: z.array(z.string()) })),
      'Make 5 items of this. And that is all there is to say.',
    );
    const answers = (seed: number) =>
      JSON.stringify(createScriptedAgent({ seed, wrongRate: 0.5 }).answer(request));
    expect(answers(4)).toBe(answers(4));
    expect(new Set(Array.from({ length: 20 }, (_, seed) => answers(seed))).size).toBeGreaterThan(3);
  });
});

describe('buildSchemaValue', { timeout: 60_000 }, () => {
  it.each<[string, z.ZodType]>([
    [
      'scalars',
      z.object({
        a: z.int().min(3).max(5),
        b: z.number().max(1),
        c: z.boolean(),
        d: z.null(),
        e: z.literal('x'),
      }),
    ],
    [
      'enums and unions',
      z.object({ a: z.enum(['x', 'y']), b: z.union([z.string(), z.int()]), c: z.string().nullable() }),
    ],
    [
      'bounded texts',
      z.object({ title: z.string().min(5).max(9), note: z.string().max(3), when: z.iso.datetime() }),
    ],
    [
      'bounded lists',
      z.object({
        list: z
          .array(z.object({ id: z.int(), name: z.string() }))
          .min(2)
          .max(3),
      }),
    ],
    [
      'optional and nested fields',
      z.object({
        deep: z.object({ deeper: z.object({ deepest: z.string() }) }),
        maybe: z.string().optional(),
      }),
    ],
    ['a list at the root', z.array(z.strictObject({ id: z.int(), dependencies: z.array(z.int()) }))],
    [
      'records and what holds together',
      z.object({
        any: z.record(z.string(), z.unknown()),
        both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
      }),
    ],
    ['open values', z.object({ any: z.unknown() })],
  ])('builds values that fit: %s', (_what, schema) => {
    for (let seed = 0; seed < 50; seed++) {
      const facts = parseRequestFacts([
        { role: 'user', content: 'Say something about the sea and its islands. Then stop.' },
      ]);
      const built: unknown = buildSchemaValue(toJsonSchema(schema), facts, seededRandom(`${seed}`));
      const plain: unknown = JSON.parse(JSON.stringify(built));
      expect({ plain, error: schema.safeParse(plain).error }).toEqual({ plain, error: undefined });
    }
  });

  it('follows recursive references and terminates', () => {
    const node: z.ZodType = z.object({
      name: z.string(),
      get children() {
        return z.array(node);
      },
    });
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const built = buildSchemaValue(toJsonSchema(node), parseRequestFacts([]), seededRandom(`${seed}`));
        expect(node.safeParse(built).success).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

it('answers a request without a schema with text', () => {
  const answer = createScriptedAgent({ seed: 1 }).answer({
    apiKey: null,
    modelId: 'any',
    messages: [{ role: 'user', content: 'Translate this sentence into French, please.' }],
  });
  expect(answer).toMatchObject({ status: 'success', data: { text: expect.stringContaining('French') } });
});
