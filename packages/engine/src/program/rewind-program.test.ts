import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import {
  answerEntry,
  askTestQuestion,
  buildJournal,
  buildTestProgram,
  describeStep,
  errorEntry,
  valueEntry,
} from '../testing/program-builders.ts';
import {
  all,
  applyProjectCommand,
  discardAnswer,
  type Program,
  type ProgramDefinition,
  reachCheckpoint,
  readProject,
} from './effect.ts';
import { abandonTurn, beginTurn, endTurn } from './conversation.ts';
import { type Entry, formatEntry, type Journal, parseEntry } from './journal.ts';
import { replayProgram } from '../testing/replay-program.ts';
import { rewindProgram } from './rewind-program.ts';

/** Asks until an answer is a text, three times at most; how often it may stands in the question. */
function* ask(words: string, checkpoints = false): Program<string> {
  for (let left = 3; left > 0; left--) {
    const answer = yield* askTestQuestion(`${words}, ${left} left`);
    if (answer === 'go on' && checkpoints) {
      if (yield* reachCheckpoint()) left = 4;
      continue;
    }
    if (typeof answer === 'string') return answer;
    yield* discardAnswer();
  }
  throw new BatonError('answer_invalid', words);
}

const read = () => readProject('p', () => 'read');
const commit = (words: string) => applyProjectCommand('p', words);

/** The journal as it is after REWIND. */
function rewound(program: ProgramDefinition<null>, journal: Journal): Journal {
  const { drops, journal: entries } = rewindProgram(program, null, journal);
  const after = new Map(journal);
  for (const path of drops) after.delete(path);
  for (const [path, entry] of entries) after.set(path, parseEntry(entry));
  return after;
}

const pathsOf = (journal: Journal) => [...journal.keys()].sort();
const stepAfter = (program: ProgramDefinition<null>, journal: Journal) =>
  describeStep(replayProgram(program, null, rewound(program, journal)));
const no = answerEntry(7);

describe('a line of effects', () => {
  const program = buildTestProgram(function* () {
    yield* read();
    const first = yield* ask('first');
    yield* read();
    const second = yield* ask('second');
    yield* commit(`${first} ${second}`);
    return yield* ask('third');
  });
  const upToSecond = {
    '0': valueEntry('read', 1),
    '1': no,
    '2': answerEntry('a'),
    '3': valueEntry('read', 2),
  };

  test('is taken back behind its last accepted answer: what was read since, and answers of no use, go', () => {
    const journal = buildJournal({ ...upToSecond, '4': no, '5': no, '6': no });
    expect(describeStep(replayProgram(program, null, journal))).toBe('answer_invalid');
    expect(pathsOf(rewound(program, journal))).toEqual(['0', '1', '2']);
    expect(stepAfter(program, journal)).toEqual({ 3: 'read' });
  });

  test('is taken back to its beginning where nothing was accepted', () => {
    const journal = buildJournal({
      '0': valueEntry('read', 1),
      '1': no,
      '2': errorEntry('llm', 'interaction_expired'),
    });
    expect(rewound(program, journal).size).toBe(0);
  });

  test('never loses a commit, nor an answer before one that failed', () => {
    const answered = buildJournal({ ...upToSecond, '4': answerEntry('b') });
    const refused = new Map(answered).set('5', errorEntry('commit', 'project_not_found'));
    expect(pathsOf(rewound(program, refused))).toEqual(pathsOf(answered));
    const committed = new Map(answered).set('5', valueEntry('commit', 1));
    const failed = new Map(committed).set('6', no).set('7', errorEntry('llm', 'interaction_cancelled'));
    expect(pathsOf(rewound(program, failed))).toEqual(pathsOf(committed));
    expect(stepAfter(program, failed)).toEqual({ 6: 'third, 3 left' });
  });

  test('that awaits something, since its task expired, has its budgets again', () => {
    const journal = buildJournal({ ...upToSecond, '4': no });
    expect(describeStep(replayProgram(program, null, journal))).toEqual({ 5: 'second, 2 left' });
    expect(pathsOf(rewound(program, journal))).toEqual(['0', '1', '2']);
  });

  test('stays as it is where its program has come to its end, or is another', () => {
    const whole = buildJournal({
      ...upToSecond,
      '4': answerEntry('b'),
      '5': valueEntry('commit', 1),
      '6': answerEntry('c'),
    });
    expect(describeStep(replayProgram(program, null, whole))).toBe('c');
    expect(rewindProgram(program, null, whole)).toEqual({ drops: [], journal: [] });
    const foreign = buildJournal({ '0': answerEntry('a'), '1': no });
    expect(rewindProgram(program, null, foreign)).toEqual({ drops: [], journal: [] });
  });

  test('goes on from a checkpoint with its budgets anew, as often as it is retried', () => {
    const calling = buildTestProgram(() => ask('call', true));
    let journal: Journal = buildJournal({ '0': no, '1': answerEntry('go on'), '2': no });
    expect(describeStep(replayProgram(calling, null, journal))).toBe('answer_invalid');
    for (let time = 0; time < 3; time++) {
      journal = rewound(calling, journal);
      expect(pathsOf(journal)).toEqual(['0', '1', '2']);
      expect(journal.get('2')).toEqual(valueEntry('retry', null));
      expect(describeStep(replayProgram(calling, null, journal))).toEqual({ 3: 'call, 3 left' });
      journal = new Map(journal).set('3', no).set('4', no).set('5', no);
      expect(describeStep(replayProgram(calling, null, journal))).toBe('answer_invalid');
    }
    const answered = new Map(rewound(calling, journal)).set('3', answerEntry('done'));
    expect(describeStep(replayProgram(calling, null, answered))).toBe('done');
  });
});

describe('branches', () => {
  const branch = (words: string) =>
    function* (): Program<string> {
      yield* read();
      const answer = yield* ask(words);
      yield* commit(answer);
      return answer;
    };
  const fan = buildTestProgram(() => all(['a', 'b', 'c'].map(branch), 2));
  const failedTwice = { '0.1.0': valueEntry('read', 1), '0.1.1': errorEntry('llm', 'interaction_expired') };

  test('that came to a good end are kept, collapsed or not, and the others are asked again', () => {
    for (const first of [
      { '0.0': valueEntry('branch', 'x') },
      { '0.0.0': valueEntry('read', 1), '0.0.1': answerEntry('x'), '0.0.2': valueEntry('commit', 1) },
    ]) {
      const journal = buildJournal({ ...first, ...failedTwice, '0.2.0': valueEntry('read', 1) });
      expect(pathsOf(rewound(fan, journal))).toEqual(Object.keys(first));
      expect(stepAfter(fan, journal)).toEqual({ '0.1.0': 'read', '0.2.0': 'read' });
    }
  });

  test('that failed behind an accepted answer keep it: their commit is made again, and nobody is asked', () => {
    const kept = { '0.1.0': valueEntry('read', 1), '0.1.1': answerEntry('y') };
    const journal = buildJournal({
      '0.0': errorEntry('branch', 'interaction_expired'),
      ...kept,
      '0.1.2': errorEntry('commit', 'limit_size'),
      '0.2': valueEntry('branch', 'z'),
    });
    expect(pathsOf(rewound(fan, journal))).toEqual([...Object.keys(kept), '0.2']);
    expect(stepAfter(fan, journal)).toEqual({ '0.0.0': 'read', '0.1.2': 'commit' });
  });

  test('that failed behind a commit do not collapse, so that no retry makes it twice', () => {
    const late = buildTestProgram(() =>
      all([
        function* () {
          yield* commit('once');
          return yield* ask('a');
        },
        () => ask('b'),
      ]),
    );
    const journal = buildJournal({ '0.0.0': valueEntry('commit', 1), '0.0.1': errorEntry('llm', 'x') });
    const step = replayProgram(late, null, journal);
    expect(step.status === 'awaiting' && step.collapsed).toEqual([]);
    expect(pathsOf(rewound(late, journal))).toEqual(['0.0.0']);
  });

  test('that caught their failures are asked again where nothing came of them, also from a journal in which they had collapsed', () => {
    const caught = (words: string) =>
      function* (): Program<unknown> {
        try {
          return yield* branch(words)();
        } catch (thrown) {
          return { failed: (thrown as BatonError).code };
        }
      };
    const program = buildTestProgram(function* () {
      const ends = yield* all(['a', 'b'].map(caught));
      if (ends.every((end) => typeof end === 'object')) throw new BatonError('agent_error', 'all');
      return ends;
    });
    const failedFirst = buildJournal({ '0.0.0': valueEntry('read', 1), '0.0.1': errorEntry('llm', 'x') });
    const step = replayProgram(program, null, failedFirst);
    const [collapse] = step.status === 'awaiting' ? step.collapsed : [];
    expect(collapse?.entry).toEqual({ ...valueEntry('branch', { failed: 'internal' }), repeatable: true });
    // As an earlier release reads it.
    expect(formatEntry(collapse?.entry as Entry)).toContain('"content":{"blocks":[],"dropped":0}');
    const journal = buildJournal({
      '0.0': parseEntry(formatEntry(collapse?.entry as Entry)),
      '0.1.0': valueEntry('read', 1),
      '0.1.1': errorEntry('llm', 'x'),
    });
    expect(describeStep(replayProgram(program, null, journal))).toBe('agent_error');
    expect(stepAfter(program, journal)).toEqual({ '0.0.0': 'read', '0.1.0': 'read' });
  });
});

describe('a turn of a conversation', () => {
  const turn = buildTestProgram(function* () {
    const history = yield* beginTurn('c');
    try {
      const answer = yield* ask('turn', true);
      yield* endTurn(history, [{ role: 'user', content: answer }]);
      return yield* ask('after');
    } catch (thrown) {
      yield* abandonTurn(history);
      throw thrown;
    }
  });
  const begun = { '0': valueEntry('turn', { waits: false, from: 0, to: 2 }), '1': answerEntry('go on') };

  test('is taken again from its beginning, whatever was answered in it', () => {
    const journal = buildJournal({
      ...begun,
      '2': errorEntry('llm', 'interaction_cancelled'),
      '3': valueEntry('append', {}),
    });
    expect(rewound(turn, journal).size).toBe(0);
    expect(stepAfter(turn, journal)).toEqual({ 0: 'turn' });
  });

  test('that has ended is never added to its conversation twice', () => {
    const ended = { ...begun, '2': answerEntry('said'), '3': valueEntry('append', { conversationId: 'c' }) };
    const journal = buildJournal({
      ...ended,
      '4': no,
      '5': errorEntry('llm', 'x'),
      '6': valueEntry('append', {}),
    });
    expect(pathsOf(rewound(turn, journal))).toEqual(Object.keys(ended));
  });
});
