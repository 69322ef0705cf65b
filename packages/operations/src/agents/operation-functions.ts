import {
  describeZodError,
  type FunctionResult,
  type FunctionSet,
  type Program,
  toJsonSchema,
} from '@baton/engine';
import type { Json } from '@baton/protocol';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { binaryClassifyOperation } from '../classify/binary-classify.ts';
import { classifyOperation } from '../classify/classify.ts';
import type { Operation } from '../definition/operation.ts';

/** The operations that prompts may have as functions: all that a client may call, but for those that ask agents. */
export const functionOperations: readonly Operation[] = [
  ...toolOperations.values(),
  classifyOperation,
  binaryClassifyOperation,
];

/**
 * Operations as functions of an agent's call: each runs as a part of the call's own task, and its LLM requests are delegated as
 * that task's. Errors: those of the operation.
 */
export function operationFunctions(operations: readonly Operation[]): FunctionSet {
  return {
    tools: operations.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: toJsonSchema(input) as { [keyword: string]: Json } },
    })),
    *run({ name, arguments: args }): Program<FunctionResult> {
      const operation = operations.find((one) => one.name === name);
      if (operation === undefined) return { ok: false, error: `There is no function '${name}'.` };
      const { data: input, error } = operation.input.safeParse(args);
      if (error !== undefined)
        return { ok: false, error: `The arguments of '${name}' do not fit: ${describeZodError(error)}` };
      return { ok: true, result: (yield* operation.run(input as never)) as Json };
    },
  };
}
