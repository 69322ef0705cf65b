/**
 * Pure: the effects that a program yields (`effect`), their recorded outcomes (`journal`), the replay of a program over
 * its journal (`replay-program`), and the delegated LLM call, from its dialog to a value or a named error (`agent-call`).
 * No clock, no randomness, no I/O.
 */
export * from './conversation.ts';
export * from './agent-call/agent-call.ts';
export * from './agent-call/call-report.ts';
export * from './agent-call/generate.ts';
export * from './agent-call/run-agent-call.ts';
export * from './effect.ts';
export * from './replay-program.ts';
export * from './journal.ts';
export { toJsonSchema, describeZodError } from './zod-schema.ts';
