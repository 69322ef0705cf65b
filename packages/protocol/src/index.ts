/**
 * Wire shapes and records: what Baton says and stores, independent of MCP's revisions, without I/O. Imports zod and
 * secure-json-parse only.
 * `errors` is the one table of codes; `delegation` and `answer` are the two halves of a delegated call, and
 * `answer-correction` asks again; `ids`, `credential`, `limits` and `task` are the records' parts; `json`, `json-text`,
 * `request-parameters` and `text` bound what comes in.
 */
export * from './answer.ts';
export * from './answer-correction.ts';
export * from './credential.ts';
export * from './delegation.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './json-text.ts';
export * from './limits.ts';
export * from './task.ts';
export * from './text.ts';
export * from './version.ts';
