import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { z } from 'zod';
import { askPerson } from '../agent-call/ask-person.ts';
import { generateForCaller, generateObject } from '../agent-call/generate.ts';
import {
  all,
  applyProjectCommand,
  type Program,
  type ProgramDefinition,
  readProject,
  sleep,
} from '../program/effect.ts';
import { askTestQuestion } from './program-builders.ts';

/**
 * A program as data. It carries one number, `digest`, into which everything that it observes is mixed and which every
 * request names: whatever an outcome changes shows in the requests after it and in the end.
 */
type Line =
  | { readonly do: 'ask' | 'object' | 'caller' | 'person' | 'sleep' | 'read' | 'commit' | 'refuse' | 'break' }
  | { readonly do: 'when'; readonly yes: readonly Line[]; readonly no: readonly Line[] }
  | { readonly do: 'repeat'; readonly most: number; readonly body: readonly Line[] }
  | { readonly do: 'try'; readonly body: readonly Line[]; readonly rescue: readonly Line[] }
  | { readonly do: 'all'; readonly branches: readonly (readonly Line[])[]; readonly atOnce: number };

const effects = ['ask', 'object', 'caller', 'person', 'sleep', 'read', 'commit'] as const;
const effect: fc.Arbitrary<Line> = fc.record({ do: fc.constantFrom(...effects) });
const end: fc.Arbitrary<Line> = fc.record({ do: fc.constantFrom('refuse', 'break') });

const { line } = fc.letrec<{ block: Line[]; line: Line }>((tie) => {
  const block = tie('block');
  const branches = fc.oneof(
    { arbitrary: fc.array(block, { maxLength: 4, size: 'max' }), weight: 4 },
    // Two-digit positions, whose paths begin as those of others do.
    { arbitrary: fc.array(fc.array(effect, { maxLength: 2 }), { minLength: 11, maxLength: 13 }), weight: 1 },
  );
  return {
    block: fc.array(tie('line'), { maxLength: 4, size: 'max' }),
    line: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      { arbitrary: effect, weight: 8 },
      { arbitrary: end, weight: 1 },
      { arbitrary: fc.record({ do: fc.constant('when' as const), yes: block, no: block }), weight: 2 },
      {
        arbitrary: fc.record({
          do: fc.constant('repeat' as const),
          most: fc.integer({ min: 1, max: 3 }),
          body: block,
        }),
        weight: 1,
      },
      { arbitrary: fc.record({ do: fc.constant('try' as const), body: block, rescue: block }), weight: 3 },
      {
        arbitrary: fc.record({
          do: fc.constant('all' as const),
          branches,
          atOnce: fc.integer({ min: 1, max: 8 }),
        }),
        weight: 4,
      },
    ),
  };
});
export const arbitraryProgramLines = fc.array(line, { minLength: 1, maxLength: 6, size: 'max' });

const numbered = z.object({ n: z.number() });

export function buildProgram(block: readonly Line[]): ProgramDefinition<number> {
  return {
    name: 'random',
    version: 1,
    *run(digest) {
      return { digest: yield* runBlock(block, digest) };
    },
  };
}

/** FNV-1a over the UTF-16 units of a text. */
export function fnv1aHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const mix = (digest: number, seen: unknown) => fnv1aHash(`${digest} ${spelled(seen)}`);

/** A value so that what JSON confuses is told apart: an undefined field, a date, not a number. */
function spelled(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${typeof value} ${value}`;
  const fields = Object.entries(value).map(([key, inner]) => `${key}: ${spelled(inner)}`);
  return `${value instanceof Date ? value.getTime() : Array.isArray(value)} { ${fields.join()} }`;
}

function* runBlock(block: readonly Line[], digest: number): Program<number> {
  for (const line of block) digest = mix(digest, yield* runLine(line, digest));
  return digest;
}

function* runLine(line: Line, digest: number): Program<unknown> {
  switch (line.do) {
    case 'ask':
      return yield* askTestQuestion(`${digest}`);
    case 'object':
      return yield* generateObject({
        ...callOf(digest),
        schema: numbered,
        objectName: 'n',
      });
    case 'caller':
      return yield* generateForCaller({
        ...callOf(digest),
        serviceType: 'generateObject',
        schema: {},
        parameters: {},
      });
    case 'person':
      return yield* askPerson({ message: `${digest}`, schema: {}, summary: 'a question' });
    case 'sleep':
      return yield* sleep(digest % 1000);
    case 'read':
      return yield* readProject(`${digest % 10}`, () => digest);
    case 'commit':
      return yield* applyProjectCommand('p', { digest });
    case 'refuse':
      throw new BatonError('project_conflict', `at ${digest}`, {
        digest,
        at: new Date(digest),
        missing: undefined,
      });
    case 'break':
      throw new TypeError(`at ${digest}`);
    case 'when':
      return yield* runBlock(digest % 2 === 0 ? line.yes : line.no, digest);
    case 'repeat':
      for (let turn = 0; turn < line.most && digest % 4 !== 0; turn++)
        digest = yield* runBlock(line.body, digest + turn);
      return digest;
    case 'try':
      try {
        return yield* runBlock(line.body, digest);
      } catch (error) {
        return yield* runBlock(
          line.rescue,
          mix(digest, error instanceof BatonError ? error.toWire() : String(error)),
        );
      }
    case 'all':
      return yield* all(
        line.branches.map((branch, index) => () => runBranch(branch, mix(digest, index))),
        line.atOnce,
      );
  }
}

/** Gives back values as programs do: bare, with undefined fields, dates, nothing at all. */
function* runBranch(branch: readonly Line[], digest: number): Program<unknown> {
  const end = yield* runBlock(branch, digest);
  return [end, { end, missing: undefined }, new Date(end), Number.NaN, undefined][end % 5];
}

function callOf(digest: number) {
  const words = `${digest}`;
  return {
    role: 'main' as const,
    modelId: 'm',
    summary: words,
    messages: [{ role: 'user' as const, content: words }],
  };
}
