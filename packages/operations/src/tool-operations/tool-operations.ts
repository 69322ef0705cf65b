import { acceptIgnoredInOperation } from './accept-ignored-arguments.ts';
import { addTaskOperation } from '../add-task/program.ts';
import { analyzeProjectComplexityOperation } from '../analyze-project-complexity/program.ts';
import { expandAllOperation } from '../expand-all/program.ts';
import { expandTaskOperation } from '../expand-task/program.ts';
import { parsePrdOperation } from '../parse-prd/program.ts';
import { researchOperation } from '../research/program.ts';
import { scopeDownTaskOperation, scopeUpTaskOperation } from '../scope-task/program.ts';
import { updateOperation } from '../update/program.ts';
import { updateSubtaskOperation } from '../update-subtask/program.ts';
import { updateTaskOperation } from '../update-task/program.ts';
import type { Operation, ToolOperation } from '../definition/operation.ts';

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

export function indexByName<T extends Operation>(...listed: readonly T[]): ReadonlyMap<string, T> {
  return new Map(listed.map((operation) => [operation.name, operation]));
}
