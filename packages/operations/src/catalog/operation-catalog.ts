import { askAgentOperation } from '../agents/ask-agent.ts';
import { callPromptOperation } from '../agents/call-prompt.ts';
import { binaryClassifyOperation } from '../classify/binary-classify.ts';
import { classifyOperation } from '../classify/classify.ts';
import { askAssistantOperation } from '../agents/ask-assistant.ts';
import { delegatedCallOperation } from '../delegated-call/program.ts';
import type { Operation } from '../definition/operation.ts';
import { indexByName, toolOperations } from '../tool-operations/tool-operations.ts';

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
