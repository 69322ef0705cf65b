/**
 * Pure: the effects that a program yields (`effect`), their recorded outcomes (`journal`), the replay of a program over
 * its journal (`replay-program`), and the delegated LLM call with its retries (`agent-call`).
 * No clock, no randomness, no I/O.
 */
export * from './agent-call.ts';
export * from './conversation.ts';
export * from './effect.ts';
export * from './replay-program.ts';
export * from './journal.ts';
export { toJsonSchema, describeZodError } from './zod-schema.ts';
