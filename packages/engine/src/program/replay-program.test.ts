import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import {
  all,
  checkAnswer,
  applyProjectCommand,
  lookupRole,
  type Program,
  type ProgramDefinition,
  readProject,
  sleep,
} from './effect.ts';
import { replayProgram } from '../testing/replay-program.ts';
import type { Entry } from './journal.ts';
import {
  askTestQuestion,
  buildTestProgram,
  errorEntry,
  describeStep,
  buildJournal,
  valueEntry,
  answerEntry,
} from '../testing/program-builders.ts';

const stands = (run: () => Program<unknown>, entries: Record<string, Entry> = {}) =>
  describeStep(replayProgram(buildTestProgram(run), null, buildJournal(entries)));

describe('a sequence', () => {
  function* twoQuestions() {
    const first = yield* askTestQuestion('first');
    return `${first} ${yield* askTestQuestion(`after ${first}`)}`;
  }

  test.each<[string, Record<string, Entry>, unknown]>([
    ['asks its first question and never looks past it', {}, { 0: 'first' }],
    ['asks the second with what the first gave', { 0: answerEntry('a') }, { 1: 'after a' }],
    ['ends when the journal holds all', { 0: answerEntry('a'), 1: answerEntry('b') }, 'a b'],
    ['does not take a later answer for an earlier one', { 1: answerEntry('b') }, { 0: 'first' }],
    [
      'fails with a refusal that it does not catch',
      { 0: errorEntry('llm', 'interaction_expired') },
      'interaction_expired',
    ],
  ])('%s', (_claim, entries, expected) => {
    expect(stands(twoQuestions, entries)).toEqual(expected);
  });

  test('counts every kind of effect in its path', () => {
    function* everyKind() {
      yield* sleep(5);
      yield* readProject('p', () => 1);
      yield* applyProjectCommand('p', { add: 1 });
      yield* checkAnswer({}, 1);
      yield* lookupRole('main');
      yield* all([]);
      return 'done';
    }
    const kinds = ['sleep', 'read', 'commit', 'check', 'lookup'] as const;
    const entries: Record<string, Entry> = {};
    for (const [index, kind] of kinds.entries()) {
      expect(stands(everyKind, entries)).toEqual({ [index]: kind });
      entries[index] = valueEntry(kind, null);
    }
    expect(stands(everyKind, entries)).toBe('done');
  });

  test('catches a refusal and goes on, the refusal keeping its code and its details', () => {
    function* careful() {
      try {
        yield* askTestQuestion('first');
      } catch (error) {
        return error instanceof BatonError && [error.code, error.message, error.details];
      }
      return 'nothing thrown';
    }
    const error = { code: 'limit_size', message: 'too long', field: 'prd' };
    expect(stands(careful, { 0: { kind: 'llm', ok: false, error } })).toEqual([
      'limit_size',
      'too long',
      { field: 'prd' },
    ]);
  });
});

describe('all', () => {
  const questions = (words: string[], atOnce?: number) => () =>
    all(
      words.map((word) => () => askTestQuestion(word)),
      atOnce,
    );

  test.each<[string, () => Program<unknown>, Record<string, Entry>, unknown]>([
    ['asks all branches at once', questions(['a', 'b']), {}, { '0.0.0': 'a', '0.1.0': 'b' }],
    [
      'gives values by position, not by arrival',
      questions(['a', 'b']),
      { '0.1.0': answerEntry(2), '0.0.0': answerEntry(1) },
      [1, 2],
    ],
    ['of nothing is done at once', questions([]), {}, []],
    ['never starts more than atOnce', questions(['a', 'b', 'c'], 2), {}, { '0.0.0': 'a', '0.1.0': 'b' }],
    [
      'starts the next when one ends, whichever it is',
      questions(['a', 'b', 'c', 'd'], 2),
      { '0.1.0': answerEntry(2) },
      { '0.0.0': 'a', '0.2.0': 'c' },
    ],
    [
      'never takes back a branch that it started',
      questions(['a', 'b', 'c', 'd'], 2),
      { '0.1.0': answerEntry(2), '0.2.0': answerEntry(3) },
      { '0.0.0': 'a', '0.3.0': 'd' },
    ],
    ['one at a time is a sequence', questions(['a', 'b'], 1), { '0.0.0': answerEntry(1) }, { '0.1.0': 'b' }],
    [
      'waits for the rest when a branch failed',
      questions(['a', 'b']),
      { '0.0.0': errorEntry('llm', 'agent_error') },
      { '0.1.0': 'b' },
    ],
    [
      'throws the first failure by position, not by arrival',
      questions(['a', 'b', 'c']),
      {
        '0.2.0': errorEntry('llm', 'agent_error'),
        '0.1.0': errorEntry('llm', 'interaction_expired'),
        '0.0.0': answerEntry(1),
      },
      'interaction_expired',
    ],
  ])('%s', (_claim, run, entries, expected) => {
    expect(stands(run, entries)).toEqual(expected);
  });

  test('counts atOnce per all, not over nested ones', () => {
    const nested = () =>
      all([questions(['a', 'b', 'c'], 2), () => askTestQuestion('d'), () => askTestQuestion('e')], 2);
    expect(stands(nested)).toEqual({ '0.0.0.0.0': 'a', '0.0.0.1.0': 'b', '0.1.0': 'd' });
    expect(
      stands(nested, {
        '0.0.0.0.0': answerEntry(1),
        '0.0.0.1.0': answerEntry(2),
        '0.0.0.2.0': answerEntry(3),
      }),
    ).toEqual({
      '0.1.0': 'd',
      '0.2.0': 'e',
    });
  });

  test('a branch that throws before its first effect fails like any other: catchable, the rest still asked', () => {
    const throwing = (): Program<unknown> => {
      throw new BatonError('project_task_not_found', 'no task 7');
    };
    function* caught() {
      try {
        return yield* all([throwing, () => askTestQuestion('other')]);
      } catch (error) {
        return `caught ${(error as BatonError).code}`;
      }
    }
    expect(stands(caught)).toEqual({ '0.1.0': 'other' });
    expect(stands(caught, { '0.1.0': answerEntry(1) })).toBe('caught project_task_not_found');
  });

  test.each([0, -1, Number.NaN])('with atOnce %s fails and never waits for nothing', (atOnce) => {
    expect(stands(questions(['a'], atOnce))).toBe('internal');
  });
});

describe('the end', () => {
  test('a program that throws what Baton does not know fails as internal, without the text', () => {
    const broken = (): Program<never> => {
      throw new TypeError('secret of a customer');
    };
    const step = replayProgram(buildTestProgram(broken), null, buildJournal());
    expect(step).toMatchObject({
      status: 'failed',
      error: { code: 'internal' },
      thrown: expect.any(TypeError),
    });
    expect(JSON.stringify(step.status === 'failed' && step.error)).not.toContain('secret');
  });

  test('a program that throws before it yields anything does not throw out of advance', () => {
    const broken: ProgramDefinition<null> = {
      name: 'broken',
      version: 1,
      run() {
        throw new BatonError('invalid_arguments', 'no');
      },
    };
    expect(describeStep(replayProgram(broken, null, buildJournal()))).toBe('invalid_arguments');
  });

  test('advancing twice over the same journal gives the same step and leaves the journal as it was', () => {
    const program = buildTestProgram(() =>
      all(
        [
          () => all([() => askTestQuestion('a'), () => askTestQuestion('b')]),
          () => askTestQuestion('c'),
          () => askTestQuestion('d'),
        ],
        2,
      ),
    );
    const entries = buildJournal({ '0.0.0.0.0': answerEntry(1), '0.1.0': answerEntry(2) });
    const before = JSON.stringify([...entries]);
    const first = replayProgram(program, null, entries);
    expect(replayProgram(program, null, entries)).toEqual(first);
    expect(describeStep(first)).toEqual({ '0.0.0.1.0': 'b', '0.2.0': 'd' });
    expect(JSON.stringify([...entries])).toBe(before);
  });
});
