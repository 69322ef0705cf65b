/**
 * Pure: what a program may ask (`effect`), the record of what came back (`journal`), the replay that says where a
 * program stands (`interpreter`), and the delegated call that ends in a result or a named error (`agent-call`).
 * No clock, no randomness, no I/O.
 */
export * from './agent-call.ts';
export * from './effect.ts';
export * from './interpreter.ts';
export * from './journal.ts';
export { toJsonSchema, describeZodError } from './zod-schema.ts';
