/**
 * Wire shapes and records: what Baton says and stores, version-free, with no I/O. Imports zod only.
 * `errors` is the one table of codes; `delegation` and `answer` are the two halves of a delegated call; `ids`,
 * `credential`, `limits` and `task` are the records' parts; `json` is text and depth.
 */
export * from './answer.ts';
export * from './credential.ts';
export * from './delegation.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './limits.ts';
export * from './task.ts';
export * from './version.ts';
