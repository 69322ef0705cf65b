import type { ProgramDefinition } from '../program/effect.ts';
import type { Journal } from '../program/journal.ts';
import { ProgramRun, type Step } from '../program/replay-program.ts';

/** Replays a program over its journal, from its start. */
export function replayProgram<Input>(
  program: ProgramDefinition<Input>,
  input: Input,
  journal: Journal,
): Step {
  return new ProgramRun(program, input, journal).next();
}
