/**
 * Pure: the effects that a program yields (`program/effect`), their recorded outcomes (`journal`), the replay of a
 * program over its journal (`replay-program`), and the delegated LLM call, from its dialog to a value or a named error (`agent-call`).
 * No clock, no randomness, no I/O.
 */
export * from './program/conversation.ts';
export * from './agent-call/agent-call.ts';
export * from './agent-call/ask-person.ts';
export * from './agent-call/call-report.ts';
export * from './agent-call/generate.ts';
export { readTraceEntry } from './agent-call/function-runs.ts';
export * from './agent-call/run-agent-call.ts';
export * from './program/effect.ts';
export { applyAnsweredCommand } from './program/wait-for-room.ts';
export {
  type Awaited,
  type Collapse,
  ProgramRun,
  type Step,
} from './program/replay-program.ts';
export { type Rewind, rewindProgram } from './program/rewind-program.ts';
export * from './program/journal.ts';
export { describeZodError } from './agent-call/zod-schema.ts';
