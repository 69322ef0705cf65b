/**
 * Pure: the operations' programs with their prompts (`parse-prd`, `delegated-call`), the project that they work on
 * (`project`), and the tools that need no LLM (`views`). `catalog` says what there is; `echo` is for tests and the
 * benchmark. No clock, no randomness, no I/O.
 */
export { findProgram, operations } from './catalog.ts';
export { delegatedCall } from './delegated-call/program.ts';
export { testOperations } from './echo/programs.ts';
export { wholeNumber } from './lenient.ts';
export { MODELS, type Model } from './models.ts';
export type { Operation, ToolHints } from './operation.ts';
export { MAX_PRD_LENGTH, type ParsePrdInput, parsePrdInput } from './parse-prd/input.ts';
export * from './project/index.ts';
export * from './views/index.ts';
