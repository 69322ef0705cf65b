import { type CallerFunction, lookupAgents, type PromptDefinition, toolNameOf } from '@baton/agents';
import type { FunctionSet, Program } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { Operation } from '../definition/operation.ts';
import type { ProjectTool } from '../tools/project-tool.ts';
import { functionTools } from '../tools/function-tools.ts';
import { functionOperations, operationFunctions } from './operation-functions.ts';
import { projectFunctions } from './project-functions.ts';
import { specialistFunctions } from './specialist-functions.ts';

const AGENT_PREFIX = toolNameOf('');

export interface PromptFunctions {
  /** Those that Baton runs; undefined where there are none. */
  readonly run?: FunctionSet;
  /** Those that the caller runs. */
  readonly callers: readonly CallerFunction[];
}

/**
 * The functions that a prompt names: tools around projects, operations, and specialists under the names of their tools; or those of the
 * caller. Errors: `invalid_arguments` for a function that cannot be called, `agent_not_found`.
 */
export function* promptFunctions({
  functions,
}: Pick<PromptDefinition, 'functions'>): Program<PromptFunctions> {
  const callers = functions.filter((one) => typeof one !== 'string');
  if (callers.length === functions.length) return { callers };
  const ids: string[] = [];
  const tools: ProjectTool[] = [];
  const operations: Operation[] = [];
  for (const [at, name] of functions.entries()) {
    if (typeof name !== 'string') {
      throw refusal(
        at,
        `'${name.name}' is the caller's: a prompt has functions of the caller, or others, not both`,
      );
    }
    const tool = functionTools.find((known) => known.name === name);
    const operation = functionOperations.find((known) => known.name === name);
    if (tool !== undefined) tools.push(tool);
    else if (operation !== undefined) operations.push(operation);
    else if (name.startsWith(AGENT_PREFIX)) ids.push(name.slice(AGENT_PREFIX.length));
    else throw refusal(at, `'${name}' is no tool around projects, no operation and no agent_<id>`);
  }
  const sets: readonly FunctionSet[] = [
    projectFunctions(tools),
    operationFunctions(operations),
    ...(ids.length === 0 ? [] : [yield* agentFunctions(ids)]),
  ];
  return { run: joinFunctions(sets), callers };
}

/** All of the sets as one; a function that none of them has is told so by the first. */
function joinFunctions(sets: readonly FunctionSet[]): FunctionSet {
  return {
    tools: sets.flatMap(({ tools }) => tools),
    run: (call) => {
      const owner = sets.find(({ tools }) => tools.some((tool) => tool.function.name === call.name));
      return (owner ?? (sets[0] as FunctionSet)).run(call);
    },
  };
}

/** Specialists under the names of their tools, `agent_<id>`: an id alone may be the name of a tool around projects. */
function* agentFunctions(ids: readonly string[]): Program<FunctionSet> {
  const { specialists } = yield* lookupAgents();
  const unknown = ids.find((id) => !specialists.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new BatonError('agent_not_found', `There is no enabled specialist '${unknown}'.`);
  const known = specialistFunctions(specialists.filter(({ id }) => ids.includes(id)));
  return {
    tools: known.tools.map((tool) => ({
      ...tool,
      function: { ...tool.function, name: toolNameOf(tool.function.name) },
    })),
    run: (call) => known.run({ ...call, name: call.name.slice(AGENT_PREFIX.length) }),
  };
}

function refusal(at: number, problem: string): BatonError {
  const field = `functions.${at}`;
  return new BatonError('invalid_arguments', `The prompt's ${field}: ${problem}.`, { field });
}

const names: ReadonlySet<string> = new Set([...functionTools, ...functionOperations].map(({ name }) => name));

/** Whether a prompt may have the tool of this name as a function. */
export const isFunctionTool = (name: string): boolean => names.has(name);
