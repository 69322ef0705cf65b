import { randomSeed } from '@baton/protocol/testing/random-seed';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryProgramLines, buildProgram } from '../testing/random-program.ts';
import { deterministicOutcome, seededRandom } from '../testing/fault-injection.ts';
import { buildTestProgram, askTestQuestion } from '../testing/program-builders.ts';
import { readProject } from './effect.ts';
import { type Entry, formatEntry, parseEntry } from './journal.ts';
import { ProgramRun } from './replay-program.ts';
import { replayProgram } from '../testing/replay-program.ts';

test('a run that goes on over a growing journal gives the steps of replays', { timeout: 60_000 }, () => {
  let wentOn = 0;
  const property = fc.property(
    arbitraryProgramLines,
    fc.nat(),
    fc.nat(),
    fc.nat(),
    (block, input, salt, luck) => {
      const program = buildProgram(block);
      const journal = new Map<string, Entry>();
      const run = new ProgramRun(program, input, journal);
      const chance = seededRandom(luck);
      for (let step = run.next(), turns = 0; ; step = run.next(), turns++) {
        const replayed = replayProgram(program, input, journal);
        expect(JSON.stringify(step)).toBe(JSON.stringify(replayed));
        if (step.status !== 'awaiting' || turns > 2_000) return;
        if (turns > 0) wentOn++;
        for (const { path, entry, drop } of step.collapsed) {
          for (const inner of drop) journal.delete(inner);
          journal.set(path, parseEntry(formatEntry(entry)));
        }
        const { path, effect } = step.awaited[Math.floor(chance() * step.awaited.length)]!;
        journal.set(path, parseEntry(formatEntry(deterministicOutcome(salt, path, effect))));
      }
    },
  );
  fc.assert(property, { seed: randomSeed, numRuns: 400 });
  expect(wentOn).toBeGreaterThan(1_000);
});

test('a run does what stands before an outcome once', () => {
  let begun = 0;
  const program = buildTestProgram(function* () {
    begun++;
    yield* readProject('shop', () => null);
    return String(yield* askTestQuestion('then'));
  });
  const journal = new Map<string, Entry>();
  const run = new ProgramRun(program, null, journal);
  run.next();
  journal.set('0', { kind: 'read', ok: true, value: null });
  expect(run.next()).toMatchObject({ status: 'awaiting', awaited: [{ path: '1' }] });
  expect(begun).toBe(1);
});
