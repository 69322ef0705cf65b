import { acceptIgnoredInOperation } from './accept-ignored-arguments.ts';
import { addTaskOperation } from '../add-task/program.ts';
import { askAgentOperation } from '../agents/ask-agent.ts';
import { callPromptOperation } from '../agents/call-prompt.ts';
import { binaryClassifyOperation } from '../classify/binary-classify.ts';
import { classifyOperation } from '../classify/classify.ts';
import { askAssistantOperation } from '../agents/ask-assistant.ts';
import { analyzeProjectComplexityOperation } from '../analyze-project-complexity/program.ts';
import { delegatedCallOperation } from '../delegated-call/program.ts';
import { expandAllOperation } from '../expand-all/program.ts';
import { expandTaskOperation } from '../expand-task/program.ts';
import type { Operation, ToolOperation } from '../definition/operation.ts';
import { parsePrdOperation } from '../parse-prd/program.ts';
import { researchOperation } from '../research/program.ts';
import { scopeDownTaskOperation, scopeUpTaskOperation } from '../scope-task/program.ts';
import { updateOperation } from '../update/program.ts';
import { updateSubtaskOperation } from '../update-subtask/program.ts';
import { updateTaskOperation } from '../update-task/program.ts';

const listedOperations = indexByName<ToolOperation>(
  parsePrdOperation,
  analyzeProjectComplexityOperation,
  expandTaskOperation,
  expandAllOperation,
  updateOperation,
  updateTaskOperation,
  updateSubtaskOperation,
  addTaskOperation,
  scopeUpTaskOperation,
  scopeDownTaskOperation,
  researchOperation,
);

/** The operations that are tools, by name, in the order in which they are listed. */
export const toolOperations: ReadonlyMap<string, ToolOperation> = new Map(
  [...listedOperations].map(([name, operation]) => [name, acceptIgnoredInOperation(operation)]),
);

/** The operations that ask agents of the tenant, by name; `ask_agent` is started by the tool of its agent. */
export const agentOperations: ReadonlyMap<string, Operation> = indexByName<Operation>(
  askAssistantOperation,
  callPromptOperation,
  classifyOperation,
  binaryClassifyOperation,
  askAgentOperation,
);

/**
 * Every version that parked work may still need. A changed program keeps its former version here for as long as a
 * task of it may be parked.
 */
const programs: readonly Operation[] = [
  ...toolOperations.values(),
  ...agentOperations.values(),
  delegatedCallOperation,
];

/** All programs of this release; `also` adds some that are no part of the product, such as `syntheticOperations`. */
export function allPrograms(also: ReadonlyMap<string, Operation> = new Map()): readonly Operation[] {
  return [...programs, ...also.values()];
}

export function indexByName<T extends Operation>(...listed: readonly T[]): ReadonlyMap<string, T> {
  return new Map(listed.map((operation) => [operation.name, operation]));
}
