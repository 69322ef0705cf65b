import { projectFileResource, projectTaskResource } from '../resources/project-resources.ts';
import { promptResource } from '../resources/prompt-resources.ts';
import type { ResourceKind } from '../resources/resource-kind.ts';
import { interactionResource, taskResource } from '../resources/task-resources.ts';

/** A variable of a resource's template, which has a completion. */
interface NamedVariable {
  readonly kind: ResourceKind;
  readonly variable: string;
}

const PROJECT: NamedVariable = { kind: projectTaskResource, variable: 'project' };
const TAG: NamedVariable = { kind: projectTaskResource, variable: 'tag' };
const PROJECT_TASK: NamedVariable = { kind: projectTaskResource, variable: 'id' };

/** What arguments name: of whichever tool, and by `tool.argument` where the same name means something else. */
export const namedVariables: ReadonlyMap<string, NamedVariable> = new Map([
  ['projectRoot', PROJECT],
  ...['tag', 'fromTag', 'toTag', 'copyFromTag', 'sourceName', 'oldName'].map((name) => [name, TAG] as const),
  ...['id', 'ids', 'from', 'to', 'dependsOn', 'dependencies'].map((name) => [name, PROJECT_TASK] as const),
  ['taskId', { kind: taskResource, variable: 'taskId' }],
  ['interactionId', { kind: interactionResource, variable: 'id' }],
  ['operation', { kind: promptResource, variable: 'operation' }],
  ['add_subtask.taskId', PROJECT_TASK],
  ['parse_prd.input', { kind: projectFileResource, variable: 'name' }],
  ['use_tag.name', TAG],
  ['delete_tag.name', TAG],
]);

/** The variable of a resource that an argument of a tool names too. */
export function completionVariableOf(tool: string, argument: string): NamedVariable | undefined {
  return namedVariables.get(`${tool}.${argument}`) ?? namedVariables.get(argument);
}
