import {
  type CallerFunction,
  readAgentCatalog,
  type PromptDefinition,
  toolNameOf,
} from '@baton/agent-definitions';
import type { FunctionSet, Program } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { type BatonFunction, batonFunctionSet, batonFunctions } from './baton-functions.ts';
import { specialistFunctions } from './specialist-functions.ts';

const AGENT_PREFIX = toolNameOf('');

interface PromptFunctions {
  /** Those that Baton runs; undefined where there are none. */
  readonly run?: FunctionSet;
  /** Those that the caller runs. */
  readonly callers: readonly CallerFunction[];
}

/**
 * The functions that a prompt names: tools around projects, operations, and specialists under the names of their tools; and those
 * of the caller. Errors: `invalid_arguments` for a function that cannot be called, `agent_not_found`.
 */
export function* promptFunctions({
  functions,
}: Pick<PromptDefinition, 'functions'>): Program<PromptFunctions> {
  const callers = functions.filter((one) => typeof one !== 'string');
  const names = functions.filter((one) => typeof one === 'string');
  if (names.length === 0) return { callers };
  const ids: string[] = [];
  const own: BatonFunction[] = [];
  for (const name of names) {
    const known = batonFunctions.get(name);
    if (known !== undefined) own.push(known);
    else if (name.startsWith(AGENT_PREFIX)) ids.push(name.slice(AGENT_PREFIX.length));
    else throw unknownFunction(functions.indexOf(name), name);
  }
  const sets: readonly FunctionSet[] = [
    batonFunctionSet(own),
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
  const { specialists } = yield* readAgentCatalog();
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

/** The release that the prompt was put with may have had it. */
function unknownFunction(at: number, name: string): BatonError {
  const field = `functions.${at}`;
  const problem = `'${name}' is no tool around projects, no operation and no agent_<id>`;
  return new BatonError('invalid_arguments', `The prompt's ${field}: ${problem}.`, { field });
}

/** Whether calls of the tool are run as a part of the call whose function it is; those of another tool are its caller's to run. */
export const isRunByBaton = (name: string): boolean => batonFunctions.has(name);
