import {
  describeZodError,
  type FunctionResult,
  type FunctionSet,
  type Program,
  readProject,
} from '@baton/engine';
import { type Json, type JsonObject, toJsonSchema } from '@baton/protocol';
import type { z } from 'zod';
import { commit } from '../definition/commit.ts';
import { binaryClassifyOperation } from '../classify/binary-classify.ts';
import { classifyOperation } from '../classify/classify.ts';
import type { Project } from '../project/index.ts';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { functionTools } from '../tools/function-tools.ts';
import type { ProjectTool } from '../tools/project-tool.ts';

/** A tool of Baton as a function of an agent's call: it does what it does for a client, as a part of the call's own task. */
export interface BatonFunction {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** Errors: those of the tool. */
  run(input: never): Program<unknown>;
}

const functions: readonly BatonFunction[] = [
  ...functionTools.map(projectFunction),
  // The LLM requests of an operation are delegated as the call's own task's.
  ...toolOperations.values(),
  classifyOperation,
  binaryClassifyOperation,
];

/** The functions by name: the tools around projects and the operations, but for those that ask agents. */
export const batonFunctions: ReadonlyMap<string, BatonFunction> = new Map(
  functions.map((one) => [one.name, one]),
);

function projectFunction(tool: ProjectTool): BatonFunction {
  const { name, description, input } = tool;
  if (tool.kind === 'view') {
    const view = (sent: { projectRoot: string }) =>
      readProject(sent.projectRoot, (project?: Project) => tool.view(project, sent));
    return { name, description, input, run: view };
  }
  return {
    name,
    description,
    input,
    *run(sent: { projectRoot: string }) {
      return tool.show(yield* commit<JsonObject>(sent.projectRoot, tool.command(sent)), sent);
    },
  };
}

/** Functions as an agent's call has them; arguments that do not fit are told to the model. */
export function batonFunctionSet(called: readonly BatonFunction[]): FunctionSet {
  return {
    tools: called.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: toJsonSchema(input) as { [keyword: string]: Json } },
    })),
    *run({ name, arguments: args }): Program<FunctionResult> {
      const known = called.find((one) => one.name === name);
      if (known === undefined) return { ok: false, error: `There is no function '${name}'.` };
      const { data: input, error } = known.input.safeParse(args);
      if (error !== undefined)
        return { ok: false, error: `The arguments of '${name}' do not fit: ${describeZodError(error)}` };
      return { ok: true, result: (yield* known.run(input as never)) as Json };
    },
  };
}
