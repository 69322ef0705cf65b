import { describe, expect, test } from 'vitest';
import { addContent, all, type Program } from './effect.ts';
import type { Collapse, Step } from './replay-program.ts';
import { replayProgram } from '../testing/replay-program.ts';
import { type Entry, formatEntry, type Journal, parseEntry } from './journal.ts';
import {
  askTestQuestion,
  buildTestProgram,
  errorEntry,
  describeStep,
  buildJournal,
  valueEntry,
  answerEntry,
} from '../testing/program-builders.ts';

function collapsedOf(step: Step): readonly Collapse[] {
  return step.status === 'awaiting' ? step.collapsed : [];
}

/** The journal as the store has it after PARK: collapses written, what they name dropped, all through text. */
function parked(before: Journal, step: Step): Journal {
  const after = new Map(before);
  for (const { path, entry, drop } of collapsedOf(step)) {
    for (const gone of drop) after.delete(gone);
    after.set(path, parseEntry(formatEntry(entry)));
  }
  return after;
}

const twoSteps = (word: string) =>
  function* (): Program<unknown> {
    return [yield* askTestQuestion(`${word} 1`), yield* askTestQuestion(`${word} 2`)];
  };

describe('a finished branch', () => {
  const program = buildTestProgram(function* () {
    return yield* all([twoSteps('a'), twoSteps('b')]);
  });
  const halfway = buildJournal({ '0.0.0': answerEntry(1), '0.0.1': answerEntry(2), '0.1.0': answerEntry(3) });

  test('collapses to its value; its sub-entries are dropped, its neighbours are not', () => {
    const step = replayProgram(program, null, halfway);
    expect(collapsedOf(step)).toEqual([
      { path: '0.0', entry: valueEntry('branch', [1, 2]), drop: ['0.0.0', '0.0.1'] },
    ]);
    expect([...parked(halfway, step).keys()]).toEqual(['0.1.0', '0.0']);
  });

  test('replays the same over the collapsed journal, and does not collapse twice', () => {
    const step = replayProgram(program, null, halfway);
    const again = replayProgram(program, null, parked(halfway, step));
    expect(describeStep(again)).toEqual(describeStep(step));
    expect(collapsedOf(again)).toEqual([]);
    const last = new Map(parked(halfway, step)).set('0.1.1', answerEntry(4));
    expect(describeStep(replayProgram(program, null, last))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('does not take a branch whose path begins alike for its own', () => {
    const wide = buildTestProgram(() =>
      all(
        Array.from({ length: 11 }, (_, index) => () => askTestQuestion(`${index}`)),
        11,
      ),
    );
    const step = replayProgram(
      wide,
      null,
      buildJournal({ '0.10.0': answerEntry('ten'), '0.1.0': answerEntry('one') }),
    );
    expect(collapsedOf(step)).toEqual([
      { path: '0.1', entry: valueEntry('branch', 'one'), drop: ['0.1.0'] },
      { path: '0.10', entry: valueEntry('branch', 'ten'), drop: ['0.10.0'] },
    ]);
  });

  test('that failed collapses to its failure', () => {
    const step = replayProgram(program, null, buildJournal({ '0.0.0': errorEntry('llm', 'agent_error') }));
    expect(collapsedOf(step)).toEqual([
      { path: '0.0', entry: errorEntry('branch', 'agent_error'), drop: ['0.0.0'] },
    ]);
  });

  test('without recorded effects is not written down: running it again costs nothing', () => {
    const quick = buildTestProgram(() => all([function* () {}, () => askTestQuestion('slow')]));
    expect(collapsedOf(replayProgram(quick, null, buildJournal()))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a field that is undefined', { kept: 1, missing: undefined }],
    ['a date', new Date(0)],
    ['not a number', Number.NaN],
    ['nothing', undefined],
  ])('gives %s as the journal will give it back, before it is collapsed as after', (_claim, value) => {
    const program = buildTestProgram(function* () {
      const [first] = yield* all<unknown>([
        function* () {
          yield* askTestQuestion('first');
          return value;
        },
      ]);
      return yield* askTestQuestion(`${typeof first} ${Object.keys(Object(first))} ${first}`);
    });
    const before = buildJournal({ '0.0.0': answerEntry(1) });
    const step = replayProgram(program, null, before);
    const again = replayProgram(program, null, parked(before, step));
    expect(collapsedOf(step)).toHaveLength(1);
    expect(describeStep(again)).toEqual(describeStep(step));
  });
});

describe('a finished all', () => {
  const program = buildTestProgram(function* () {
    const result = yield* all([() => all([twoSteps('a'), twoSteps('b')]), twoSteps('c')]);
    return yield* askTestQuestion(`after ${JSON.stringify(result)}`);
  });
  const answers: Record<string, Entry> = {
    '0.0.0.0.0': answerEntry(1),
    '0.0.0.0.1': answerEntry(2),
    '0.0.0.1.0': answerEntry(3),
    '0.0.0.1.1': answerEntry(4),
    '0.1.0': answerEntry(5),
    '0.1.1': answerEntry(6),
  };

  test('is one entry, whatever had collapsed inside it', () => {
    const whole = buildJournal(answers);
    const step = replayProgram(program, null, whole);
    const entry = valueEntry('all', [
      [
        [1, 2],
        [3, 4],
      ],
      [5, 6],
    ]);
    expect(collapsedOf(step)).toEqual([{ path: '0', entry, drop: Object.keys(answers) }]);
  });

  test('that failed through a collapsed branch is recorded as an all, never as that branch', () => {
    const careful = buildTestProgram(function* () {
      try {
        return yield* all([twoSteps('a'), twoSteps('b')]);
      } catch {
        return yield* askTestQuestion('after all');
      }
    });
    const before = buildJournal({
      '0.0': errorEntry('branch', 'agent_error'),
      '0.1.0': answerEntry(1),
      '0.1.1': answerEntry(2),
    });
    const step = replayProgram(careful, null, before);
    expect(collapsedOf(step)).toEqual([
      { path: '0', entry: errorEntry('all', 'agent_error'), drop: ['0.0', '0.1.0', '0.1.1'] },
    ]);
    expect(describeStep(replayProgram(careful, null, parked(before, step)))).toEqual({ 1: 'after all' });
  });

  test('asks the same next question whether it collapsed bit by bit, at once or never', () => {
    let kept: Journal = buildJournal();
    for (const [path, entry] of Object.entries(answers)) {
      kept = new Map(kept).set(path, entry);
      kept = parked(kept, replayProgram(program, null, kept));
    }
    expect([...kept.keys()]).toEqual(['0']);
    expect(describeStep(replayProgram(program, null, kept))).toEqual({ 1: 'after [[[1,2],[3,4]],[5,6]]' });
    expect(describeStep(replayProgram(program, null, buildJournal(answers)))).toEqual({
      1: 'after [[[1,2],[3,4]],[5,6]]',
    });
  });
});

describe('content', () => {
  const image = (data: string) => ({ type: 'image' as const, data: btoa(data), mimeType: 'image/png' });
  const drawn = (words: string) =>
    function* (): Program<unknown> {
      const answer = yield* askTestQuestion(words);
      yield* addContent([image(words)], 0);
      return answer;
    };
  const program = buildTestProgram(function* () {
    const both = yield* all([drawn('a'), drawn('b')]);
    yield* addContent([image('c')], 1);
    return [both, yield* askTestQuestion('d')];
  });

  test('stands in the result in the order of the program, whichever branch collapsed first, and takes no path', () => {
    const late = buildJournal({ '0.1.0': answerEntry(2) });
    const collapsed = parked(late, replayProgram(program, null, late));
    expect([...collapsed.keys()]).toEqual(['0.1']);
    const both = new Map(collapsed).set('0.0.0', answerEntry(1));
    const after = parked(both, replayProgram(program, null, both));
    expect([...after.keys()]).toEqual(['0']);
    const end = replayProgram(program, null, new Map(after).set('1', answerEntry(3)));
    expect(end).toMatchObject({
      status: 'completed',
      result: { said: [[1, 2], 3], content: ['a', 'b', 'c'].map(image), droppedContent: 1 },
    });
  });

  test('of a branch that failed is lost with it, and what has no room is counted', () => {
    const failing = buildTestProgram(function* () {
      try {
        yield* all([
          function* () {
            yield* addContent([image('lost')], 0);
            throw new TypeError('no');
          },
        ]);
      } catch {
        for (let at = 0; at < 102; at++) yield* addContent([image(`${at}`)], 0);
      }
      return 'said';
    });
    const end = replayProgram(failing, null, buildJournal());
    expect(end).toMatchObject({ status: 'completed', result: { said: 'said', droppedContent: 2 } });
    const { content } = (end as Extract<Step, { status: 'completed' }>).result as { content: unknown[] };
    expect([content.length, content[0]]).toEqual([100, image('0')]);
  });
});
