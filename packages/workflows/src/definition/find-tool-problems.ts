import { type DefinitionProblem, type JsonObject, nearestName } from '@baton/protocol';
import { readReferences } from './find-reference-problems.ts';
import type { Workflow, WorkflowStep } from './workflow.ts';
import type { FindTool } from './workflow-tool.ts';

/**
 * What is wrong with the calls of a workflow: unknown tools, arguments that a tool does not have, constants that it does
 * not take. Arguments that the tool requires may be left out: then the run hands the step off, and its client adds them.
 */
export function findToolProblems(workflow: Workflow, findTool: FindTool): DefinitionProblem[] {
  return workflow.steps.flatMap((step, index) => problemsOf(step, `steps.${index}`, findTool));
}

function problemsOf(step: WorkflowStep, path: string, findTool: FindTool): DefinitionProblem[] {
  const args = step.arguments ?? {};
  if (step.tool === undefined) return [];
  const tool = findTool(step.tool);
  if (tool === undefined) {
    return [{ step: step.name, field: `${path}.tool`, problem: `there is no tool '${step.tool}'` }];
  }
  const at = (field: string) => ({ step: step.name, field: `${path}.arguments.${field}` });
  const isKnown = (name: string) => tool.argumentNames?.has(name) ?? true;
  const unknown = Object.keys(args).filter((name) => !isKnown(name));
  const constants = Object.entries(args).filter(
    ([name, value]) => isKnown(name) && isConstant(readReferences(value)),
  );
  const given: JsonObject = Object.fromEntries(constants);
  return [
    ...unknown.map((name) => {
      const nearest = nearestName(name, tool.argumentNames ?? []);
      const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
      return { ...at(name), problem: `tool '${step.tool}' has no argument '${name}'${hint}` };
    }),
    ...tool
      .findProblems(given)
      .filter(({ field }) => Object.hasOwn(given, field.split('.')[0] ?? ''))
      .map(({ field, problem }) => ({ ...at(field), problem })),
  ];
}

function isConstant(read: ReturnType<typeof readReferences>): boolean {
  return 'references' in read && read.references.length === 0;
}
