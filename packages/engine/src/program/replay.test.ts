import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replayProgram } from '../testing/replay-program.ts';
import type { Journal } from './journal.ts';
import { arbitraryProgramLines, buildProgram } from '../testing/random-program.ts';
import { seededRandom, FaultCounts, runWithFaults, runWithoutFaults } from '../testing/fault-injection.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';

/** The claim on which all delegation stands; `step` is the interpreter, or one that breaks a rule of it. */
function claim(step: typeof replayProgram, happened = new FaultCounts()) {
  return fc.property(arbitraryProgramLines, fc.nat(), fc.nat(), fc.nat(), (block, input, salt, luck) => {
    const program = buildProgram(block);
    const straight = runWithoutFaults(program, input, salt);
    const broken = runWithFaults(step, program, input, salt, seededRandom(luck), happened);
    expect(broken.end).toBe(straight.end);
    expect(Object.fromEntries(broken.requests)).toEqual(Object.fromEntries(straight.requests));
  });
}

test('orders of answers, crashes and repeats never change what is asked, ask twice or change the end', {
  timeout: 60_000,
}, () => {
  const happened = new FaultCounts();
  fc.assert(claim(replayProgram, happened), { seed: randomSeed, numRuns: 600 });
  for (const [hardship, times] of Object.entries(happened)) {
    expect(times, `${hardship} must happen for the claim to mean anything`).toBeGreaterThan(50);
  }
});

/** What the claim must notice: the rules of replay, each broken. */
const mutants: Record<string, typeof replayProgram> = {
  'takes the branch that failed first by arrival, and does not wait for the rest': (
    program,
    input,
    journal,
  ) => replayProgram(program, input, failedFast(journal)),

  'forgets the value of a branch that collapsed': (program, input, journal) => {
    const step = replayProgram(program, input, journal);
    if (step.status !== 'awaiting') return step;
    const collapsed = step.collapsed.map((one) => ({
      ...one,
      entry: { kind: one.entry.kind, ok: true, value: null },
    }));
    return { ...step, collapsed } as typeof step;
  },

  'drops what stands under a path that only begins alike': (program, input, journal) => {
    const step = replayProgram(program, input, journal);
    if (step.status !== 'awaiting') return step;
    const alike = (path: string) => [...journal.keys()].filter((other) => other.startsWith(path));
    return { ...step, collapsed: step.collapsed.map((one) => ({ ...one, drop: alike(one.path) })) };
  },
};

function failedFast(journal: Journal): Journal {
  const first = [...journal].find(([, entry]) => entry.kind === 'branch' && !entry.ok);
  if (first === undefined) return journal;
  const [path, entry] = first;
  return new Map(journal).set(path.slice(0, path.lastIndexOf('.')), { ...entry, kind: 'all' });
}

test.each(Object.entries(mutants))(
  'the claim does not hold for an interpreter that %s',
  { timeout: 60_000 },
  (_, mutant) => {
    expect(fc.check(claim(mutant), { seed: randomSeed, numRuns: 2_000, endOnFailure: true }).failed).toBe(
      true,
    );
  },
);
