import { BatonError, isRecord } from '@baton/protocol';
import { findReferenceProblems } from './find-reference-problems.ts';
import { findToolProblems } from './find-tool-problems.ts';
import { bindingOf, type Workflow, workflowSchema } from './workflow.ts';
import type { WorkflowProblem } from './workflow-problem.ts';
import type { FindTool } from './workflow-tool.ts';

/** Problems that one refusal tells. */
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

/** A definition as it was sent, checked against the tools. Errors: `invalid_arguments` naming steps and fields. */
export function parseWorkflow(sent: unknown, findTool: FindTool): Workflow {
  const parsed = workflowSchema.safeParse(sent);
  if (!parsed.success) {
    throw refusal(
      parsed.error.issues.map(({ path, message }) => {
        const step = path[0] === 'steps' ? sentStepName(sent, path[1]) : undefined;
        return {
          ...(step === undefined ? {} : { step }),
          field: path.map(String).join('.'),
          problem: message,
        };
      }),
    );
  }
  const workflow = parsed.data;
  const problems = [
    ...findRepeatedNames(workflow),
    ...findEmptySteps(workflow),
    ...findReferenceProblems(workflow, findTool),
    ...findToolProblems(workflow, findTool),
  ];
  if (problems.length > 0) throw refusal(problems);
  return workflow;
}

function refusal(problems: readonly WorkflowProblem[]): BatonError {
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map((one) => ({ ...one, problem: one.problem.slice(0, MAX_PROBLEM_LENGTH) }));
  const lines = told.map(({ step, field, problem }) => {
    const where = step === undefined ? field : `step '${step}' (${field})`;
    return where === '' ? problem : `${where}: ${problem}`;
  });
  const more = problems.length > told.length ? `; and ${problems.length - told.length} more` : '';
  return new BatonError('invalid_arguments', lines.join('; ') + more, {
    field: told[0]?.field ?? '',
    issues: told,
  });
}

/** The name of a step of a definition that could not be parsed, where it has one that can be shown. */
function sentStepName(sent: unknown, index: unknown): string | undefined {
  const steps = isRecord(sent) ? sent['steps'] : undefined;
  const step: unknown = Array.isArray(steps) && typeof index === 'number' ? steps[index] : undefined;
  const name = isRecord(step) ? step['name'] : undefined;
  return typeof name === 'string' && /^[\w-]{1,64}$/.test(name) ? name : undefined;
}

function findRepeatedNames({ arguments: args, steps }: Workflow): WorkflowProblem[] {
  const problems: WorkflowProblem[] = [];
  const unique = () => {
    const seen = new Set<string>();
    return (name: string, problem: WorkflowProblem) => {
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

function findEmptySteps({ steps }: Workflow): WorkflowProblem[] {
  return steps.flatMap((step, at): WorkflowProblem[] => {
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
