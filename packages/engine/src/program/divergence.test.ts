import { expect, test } from 'vitest';
import {
  all,
  checkAnswer,
  applyProjectCommand,
  lookupRole,
  type Program,
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

const programs: Record<string, () => Program<unknown>> = {
  llm: () => askTestQuestion('anything'),
  sleep: () => sleep(1),
  read: () => readProject('p', () => 1),
  commit: () => applyProjectCommand('p', {}),
  check: () => checkAnswer({}, 1),
  lookup: () => lookupRole('main'),
  all: () => all([() => askTestQuestion('anything')]),
};

const records: Record<string, Record<string, Entry>> = {
  llm: { 0: answerEntry(1) },
  sleep: { 0: valueEntry('sleep', null) },
  read: { 0: valueEntry('read', 1) },
  commit: { 0: errorEntry('commit', 'project_conflict') },
  check: { 0: valueEntry('check', { ok: true, value: 1 }) },
  lookup: { 0: valueEntry('lookup', { routes: 1 }) },
  all: { 0: valueEntry('all', [1]) },
};

const pairs = Object.entries(programs).flatMap(([now, run]) =>
  Object.entries(records).map(([before, record]) => ({ now, run, before, record })),
);

test.each(pairs)(
  'over the record of $before a program that asks for $now goes on only when they are the same',
  ({ now, run, before, record }) => {
    const program = buildTestProgram(function* () {
      yield* run();
      return 'went on';
    });
    const same = before === 'commit' ? 'project_conflict' : 'went on';
    expect(describeStep(replayProgram(program, null, buildJournal(record)))).toBe(
      now === before ? same : 'program_diverged',
    );
  },
);

test.each<[string, Record<string, Entry>]>([
  ['an unfinished all', { '0.0.0': answerEntry(1) }],
  ['an all with a collapsed branch', { '0.0': valueEntry('branch', 1) }],
])('over the record of %s a program that asks for something else never waits for it', (_claim, entries) => {
  expect(
    describeStep(
      replayProgram(
        buildTestProgram(() => askTestQuestion('alone')),
        null,
        buildJournal(entries),
      ),
    ),
  ).toBe('program_diverged');
});

test('a value where a branch should stand is a divergence', () => {
  const program = buildTestProgram(() => all([() => askTestQuestion('a')]));
  expect(describeStep(replayProgram(program, null, buildJournal({ '0.0': answerEntry(1) })))).toBe(
    'program_diverged',
  );
});

test('a divergence is never caught by the program, however deep it happens', () => {
  const careful = (run: () => Program<unknown>) =>
    function* (): Program<unknown> {
      try {
        return yield* run();
      } catch {
        return 'went on over a foreign journal';
      } finally {
        yield* askTestQuestion('and asked');
      }
    };
  const program = buildTestProgram(
    careful(() => all([careful(() => askTestQuestion('a')), careful(() => askTestQuestion('b'))])),
  );
  const step = replayProgram(program, null, buildJournal({ '0.1.0': valueEntry('sleep', null) }));
  expect(step).toMatchObject({
    status: 'failed',
    error: { code: 'program_diverged', message: expect.stringContaining("'sleep' at 0.1.0") },
  });
});

test('another wording of a request is not a divergence', () => {
  const worded = (words: string) => buildTestProgram(() => askTestQuestion(words));
  const record = buildJournal({ 0: answerEntry('yes') });
  expect(describeStep(replayProgram(worded('old words'), null, record))).toBe('yes');
  expect(describeStep(replayProgram(worded('new words'), null, record))).toBe('yes');
});

test('an effect after the last record is not a divergence: the program has grown at its end', () => {
  const grown = buildTestProgram(function* () {
    yield* askTestQuestion('first');
    return yield* sleep(1);
  });
  expect(describeStep(replayProgram(grown, null, buildJournal({ 0: answerEntry(1) })))).toEqual({
    1: 'sleep',
  });
});
