import type { JsonObject } from '@baton/protocol';
import { expandArguments, expandUri, type TemplateContext } from '../templates/expand-template.ts';
import { MAX_SHOWN_LENGTH, ValueBudget } from '../templates/value-budget.ts';
import type { Workflow } from './workflow.ts';

/** Where a prompt's argument goes: to an argument of a tool beside `others`, or into the URI of a resource. */
export type ArgumentUse =
  | {
      readonly kind: 'tool';
      readonly tool: string;
      readonly argument: string;
      /** The other arguments of the call, as far as they are known. */
      readonly others: JsonObject;
    }
  /** The URI with `ARGUMENT_PLACEHOLDER` where the argument goes, and `OTHER_PLACEHOLDER` where another that is required, or a part of its path, goes. */
  | { readonly kind: 'resource'; readonly uri: string };

/** Stand for values in templates; characters that no value of a resource begins with. */
export const ARGUMENT_PLACEHOLDER = '\u0001';
export const OTHER_PLACEHOLDER = '\u0002';

/**
 * The uses of an argument that take it whole, in the order of the steps; `given` are the prompt's other arguments so far. Steps behind
 * what has room for these are passed over.
 */
export function usesOfArgument(
  workflow: Workflow,
  name: string,
  given: Readonly<Record<string, string>>,
): ArgumentUse[] {
  const scope = scopeAsking(workflow, name, given);
  const budget = new ValueBudget(MAX_SHOWN_LENGTH);
  return workflow.steps.flatMap(({ tool, arguments: templates = {}, resources }): ArgumentUse[] => {
    const uris = resources.flatMap((template): ArgumentUse[] => {
      const { uri } = expandUri(template, scope, budget, OTHER_PLACEHOLDER);
      return budget.isExceeded ? [] : [{ kind: 'resource', uri }];
    });
    const expanded = expandArguments(templates, scope, budget);
    if (tool === undefined || budget.isExceeded) return uris;
    const unknown = new Set(expanded.missing.map(({ argument }) => argument));
    const fields = Object.entries(expanded.args);
    const others = Object.fromEntries(
      fields.map(([field, value]) => [field, unknown.has(field) ? OTHER_PLACEHOLDER : value]),
    );
    const asked = fields.filter(([, value]) => value === ARGUMENT_PLACEHOLDER).map(([field]) => field);
    return [...uris, ...asked.map((argument): ArgumentUse => ({ kind: 'tool', tool, argument, others }))];
  });
}

/** An optional argument that was not given is left out, as in a run. */
function scopeAsking(
  workflow: Workflow,
  name: string,
  given: Readonly<Record<string, string>>,
): TemplateContext {
  const args = workflow.arguments.flatMap((one): [string, string][] => {
    if (one.name === name) return [[name, ARGUMENT_PLACEHOLDER]];
    const value = Object.hasOwn(given, one.name) ? given[one.name] : undefined;
    if (value !== undefined) return [[one.name, value]];
    return one.required ? [[one.name, OTHER_PLACEHOLDER]] : [];
  });
  return { args: Object.fromEntries(args), outputs: new Map(), variables: () => ({}) };
}
