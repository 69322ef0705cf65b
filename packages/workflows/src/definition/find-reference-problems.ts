import type { DefinitionProblem, Json } from '@baton/protocol';
import {
  findSingleBraces,
  parseTemplate,
  type Reference,
  TemplateError,
} from '../templates/parse-template.ts';
import { bindingOf, type Workflow, type WorkflowStep } from './workflow.ts';
import type { FindTool } from './workflow-tool.ts';

/** What is wrong with the templates of a workflow: unreadable ones, unknown names, and outputs that no earlier step makes. */
export function findReferenceProblems(workflow: Workflow, findTool: FindTool): DefinitionProblem[] {
  const argumentNames = new Set(workflow.arguments.map(({ name }) => name));
  const makers = new Map(
    workflow.steps.flatMap((step, index) =>
      step.tool === undefined ? [] : [[bindingOf(step), index] as const],
    ),
  );
  const uses = workflow.steps.map((step) => stepsUsedBy(step, makers));
  return workflow.steps.flatMap((step, index) =>
    templatesOf(step).flatMap(([field, template]): DefinitionProblem[] => {
      const at = { step: step.name, field: `steps.${index}.${field}` };
      const read = readReferences(template);
      if ('problem' in read) return [{ ...at, problem: read.problem }];
      const braces = stringsIn(template).flatMap((text) => findSingleBraces(text) ?? []);
      const single = braces.map((name) => ({
        ...at,
        problem: `'{${name}}' stands for itself; write {{${name}}}, or {{'{${name}}'}} for the text`,
      }));
      const unknown = read.references.flatMap((reference): DefinitionProblem[] => {
        if (reference.from === 'args') {
          if (argumentNames.has(reference.name)) return [];
          return [{ ...at, problem: `the workflow has no argument '${reference.name}'` }];
        }
        if (reference.from === 'task') {
          const problem = variableProblem(workflow, findTool, reference);
          return problem === undefined ? [] : [{ ...at, problem }];
        }
        const maker = makers.get(reference.binding);
        if (maker === undefined) return [{ ...at, problem: `no step makes '${reference.binding}'` }];
        if (maker < index) return [];
        return [{ ...at, problem: orderProblem(workflow, uses, index, maker, reference.binding) }];
      });
      return [...single, ...unknown];
    }),
  );
}

/** A variable need not be set when the run begins: a client may set it, and a run that goes on then knows it. */
function variableProblem(
  { steps }: Workflow,
  findTool: FindTool,
  { family, of }: Extract<Reference, { from: 'task' }>,
): string | undefined {
  if (family === 'result' && !steps.some(({ name, tool }) => name === of && tool !== undefined))
    return `no step '${of}' has a result`;
  if (family === 'extra' && findTool(of) === undefined) return `there is no tool '${of}'`;
  return undefined;
}

/** The templates of a step, each with its field. */
export function templatesOf(step: WorkflowStep): [field: string, template: Json][] {
  return [
    ...Object.entries(step.arguments ?? {}).map(([name, template]): [string, Json] => [
      `arguments.${name}`,
      template,
    ]),
    ...(step.guidance === undefined ? [] : [['guidance', step.guidance] as [string, Json]]),
    ...step.resources.map((uri, at): [string, Json] => [`resources.${at}`, uri]),
  ];
}

export function readReferences(template: Json): { references: Reference[] } | { problem: string } {
  try {
    return { references: referencesIn(template) };
  } catch (thrown) {
    if (thrown instanceof TemplateError) return { problem: thrown.message };
    throw thrown;
  }
}

function stepsUsedBy(step: WorkflowStep, makers: ReadonlyMap<string, number>): ReadonlySet<number> {
  const used = new Set<number>();
  for (const [, template] of templatesOf(step)) {
    const read = readReferences(template);
    if ('problem' in read) continue;
    for (const reference of read.references) {
      const maker = reference.from === 'steps' ? makers.get(reference.binding) : undefined;
      if (maker !== undefined) used.add(maker);
    }
  }
  return used;
}

/** Steps run in order: what a later step makes is not there yet, and what comes back to the step itself is a cycle. */
function orderProblem(
  { steps }: Workflow,
  uses: readonly ReadonlySet<number>[],
  user: number,
  maker: number,
  binding: string,
): string {
  const way = wayBack(uses, maker, user);
  if (way === undefined)
    return `'${binding}' is used before step '${steps[maker]?.name}' makes it; put that step first`;
  const names = [user, ...way].map((index) => `'${steps[index]?.name}'`);
  return `a cycle: ${names.join(' needs ')}`;
}

/** The steps from `from` to `to` along what each uses, with both ends; undefined where there is no way. */
function wayBack(uses: readonly ReadonlySet<number>[], from: number, to: number): number[] | undefined {
  const cameFrom = new Map<number, number | undefined>([[from, undefined]]);
  for (const index of cameFrom.keys()) {
    if (index === to) break;
    for (const next of uses[index] ?? []) if (!cameFrom.has(next)) cameFrom.set(next, index);
  }
  if (!cameFrom.has(to)) return undefined;
  const way: number[] = [];
  for (let index: number | undefined = to; index !== undefined; index = cameFrom.get(index))
    way.unshift(index);
  return way;
}

/** The references of a template, in all strings within it. Errors: TemplateError. */
function referencesIn(template: Json): Reference[] {
  return stringsIn(template).flatMap((text) =>
    parseTemplate(text).filter((part) => typeof part !== 'string'),
  );
}

/** Every string within a JSON value; the names of fields are no templates. */
function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(stringsIn);
}
