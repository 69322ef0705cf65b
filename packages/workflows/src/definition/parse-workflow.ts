import { type DefinitionProblem, isRecord, problemsIn, refusalOf, refuseProblems } from '@baton/protocol';
import { findReferenceProblems } from './find-reference-problems.ts';
import { findToolProblems } from './find-tool-problems.ts';
import { findUriProblems } from './find-uri-problems.ts';
import { bindingOf, type Workflow, workflowSchema } from './workflow.ts';
import type { FindTool, FindUriProblem } from './workflow-tool.ts';

/** A definition as it was sent, checked against the tools and the URIs of resources. Errors: `invalid_arguments` naming steps and fields. */
export function parseWorkflow(
  sent: unknown,
  findTool: FindTool,
  findUriProblem: FindUriProblem = () => undefined,
): Workflow {
  const parsed = workflowSchema.safeParse(sent);
  if (!parsed.success) {
    throw refusalOf(
      problemsIn(parsed.error, workflowSchema, sent).map((problem) => {
        const [of, index] = problem.field.split('.');
        const step = of === 'steps' ? sentStepName(sent, Number(index)) : undefined;
        return { ...(step === undefined ? {} : { step }), ...problem };
      }),
    );
  }
  const workflow = parsed.data;
  refuseProblems([
    ...findRepeatedNames(workflow),
    ...findEmptySteps(workflow),
    ...findReferenceProblems(workflow, findTool),
    ...findToolProblems(workflow, findTool),
    ...findUriProblems(workflow, findUriProblem),
  ]);
  return workflow;
}

/** The name of a step of a definition that could not be parsed, where it has one that can be shown. */
function sentStepName(sent: unknown, index: unknown): string | undefined {
  const steps = isRecord(sent) ? sent['steps'] : undefined;
  const step: unknown = Array.isArray(steps) && typeof index === 'number' ? steps[index] : undefined;
  const name = isRecord(step) ? step['name'] : undefined;
  return typeof name === 'string' && /^[\w-]{1,64}$/.test(name) ? name : undefined;
}

function findRepeatedNames({ arguments: args, steps }: Workflow): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const unique = () => {
    const seen = new Set<string>();
    return (name: string, problem: DefinitionProblem) => {
      if (seen.has(name)) problems.push(problem);
      seen.add(name);
    };
  };
  const [addArgument, addStep, addBinding] = [unique(), unique(), unique()];
  for (const [at, { name }] of args.entries()) {
    addArgument(name, { field: `arguments.${at}.name`, problem: `there are two arguments '${name}'` });
  }
  for (const [at, step] of steps.entries()) {
    const { name } = step;
    addStep(name, { step: name, field: `steps.${at}.name`, problem: `there are two steps '${name}'` });
    const binding = bindingOf(step);
    if (
      step.tool === undefined ||
      (step.bind === undefined && steps.findIndex((one) => one.name === name) < at)
    )
      continue;
    addBinding(binding, { step: name, field: `steps.${at}.bind`, problem: `two steps make '${binding}'` });
  }
  return problems;
}

function findEmptySteps({ steps }: Workflow): DefinitionProblem[] {
  return steps.flatMap((step, at): DefinitionProblem[] => {
    const { name, tool, guidance, resources } = step;
    if (tool !== undefined) return [];
    const field = (['arguments', 'bind'] as const).find((one) => step[one] !== undefined);
    if (field !== undefined) {
      return [
        {
          step: name,
          field: `steps.${at}.${field}`,
          problem: `a step without a tool has no ${field === 'bind' ? 'output' : 'arguments'}`,
        },
      ];
    }
    if (guidance !== undefined || resources.length > 0) return [];
    return [{ step: name, field: `steps.${at}`, problem: 'needs a tool, guidance or resources' }];
  });
}
