/**
 * Pure: one folder per operation with its program and prompt (`parse-prd`, `expand-task`, `update`, ...), the project
 * model and its commands (`project`), the tools without an LLM (`tools`), results for people (`views`), shared parts of
 * operations (`definition`, `schema`, `prompt-kit`), and `catalog`, which lists operations and prompts.
 * No clock, no randomness, no I/O.
 */
export { agentOperations, allPrograms } from './catalog/operation-catalog.ts';
export { toolOperations } from './tool-operations/tool-operations.ts';
export { askAgentOperation } from './agents/ask-agent.ts';
export { callPromptOperation } from './agents/call-prompt.ts';
export { binaryClassifyOperation } from './classify/binary-classify.ts';
export { classifyOperation } from './classify/classify.ts';
export { askAssistantOperation } from './agents/ask-assistant.ts';
export { delegatedCallOperation } from './delegated-call/program.ts';
export { syntheticOperations } from './catalog/synthetic-operations.ts';
export { conformanceOperations } from './conformance/conformance-operations.ts';
export { PNG } from './conformance/content-fixtures.ts';
export type { UnechoedText } from './definition/operation.ts';
export { booleanOrText, integerOrDigits } from './schema/coercion.ts';
export { ROLE_PARAMETERS } from './definition/role-parameters.ts';
export type { Operation, ToolHints } from './definition/operation.ts';
export { type ChangedResource, changedResources } from './definition/changed-resources.ts';
export type { ToolCategory } from './definition/tool-category.ts';
export { withoutTrailingSlashes } from './definition/shared-arguments.ts';
export { ignoredField } from './definition/ignored-arguments.ts';
export { type ParsePrdInput, parsePrdInputSchema } from './parse-prd/input.ts';
export * from './project/index.ts';
export { promptMarkdown, promptNames, requireToolText, type ToolText } from './catalog/prompt-catalog.ts';
export { isRunByBaton } from './agents/prompt-functions.ts';
export { projectTools } from './catalog/tool-catalog.ts';
export { readComplexityReport } from './tools/complexity-report-tool.ts';
export type { ProjectTool } from './tools/project-tool.ts';
export * from './views/index.ts';
