import {
  applyProjectCommand,
  describeZodError,
  type FunctionResult,
  type FunctionSet,
  type Program,
  readProject,
  toJsonSchema,
} from '@baton/engine';
import type { Json, JsonObject } from '@baton/protocol';
import type { Project } from '../project/index.ts';
import type { ProjectTool } from '../tools/project-tool.ts';

/** Baton's own tools around projects as functions of an agent's call: each does what it does for a client. */
export function projectFunctions(tools: readonly ProjectTool[]): FunctionSet {
  return {
    tools: tools.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: toJsonSchema(input) as { [keyword: string]: Json } },
    })),
    *run({ name, arguments: args }): Program<FunctionResult> {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) return { ok: false, error: `There is no function '${name}'.` };
      const { data: input, error } = tool.input.safeParse(args);
      if (error !== undefined)
        return { ok: false, error: `The arguments of '${name}' do not fit: ${describeZodError(error)}` };
      const { projectRoot } = input;
      if (tool.kind === 'view') {
        const result = yield* readProject(projectRoot, (project?: Project) => tool.view(project, input));
        return { ok: true, result: result as Json };
      }
      const outcome = yield* applyProjectCommand<JsonObject>(
        projectRoot,
        tool.command(input) as unknown as Json,
      );
      return { ok: true, result: tool.show(outcome, input) as Json };
    },
  };
}
