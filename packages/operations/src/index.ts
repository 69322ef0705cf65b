/**
 * Pure: the operations' programs with their prompts (`parse-prd`, `expand-task`, `update`, ...), the project that they
 * work on (`project`), the tools that need no LLM (`tools`), and what people read of it (`views`, `prompts`). `catalog`
 * says what there is; `echo` is for tests and the benchmark. No clock, no randomness, no I/O.
 */
export { findProgram, operations, programsOf } from './catalog.ts';
export { delegatedCall } from './delegated-call/program.ts';
export { testOperations } from './echo/programs.ts';
export { wholeNumber } from './lenient.ts';
export { MODELS, type Model } from './models.ts';
export type { Operation, ToolHints } from './operation.ts';
export { MAX_PRD_LENGTH, type ParsePrdInput, parsePrdInput } from './parse-prd/input.ts';
export * from './project/index.ts';
export { guideFor } from './prompts/guide.ts';
export {
  type OperationPrompt,
  operationPrompt,
  promptMarkdown,
  promptNames,
} from './prompts/operation-prompts.ts';
export { projectTools } from './tools/catalog.ts';
export { complexityReportOf } from './tools/project.ts';
export type { ProjectTool } from './tools/project-tool.ts';
export * from './views/index.ts';
