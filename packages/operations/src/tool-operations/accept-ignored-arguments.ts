import type { JsonObject } from '@baton/protocol';
import type { ToolOperation } from '../definition/operation.ts';
import {
  IgnoredArguments,
  type IgnoredReport,
  ignoredField,
  withIgnoredNamed,
} from '../definition/ignored-arguments.ts';
import type { ProjectTool } from '../tools/project-tool.ts';

/**
 * Tools as clients call them: they take what claude-task-master's callers send beside their own arguments, and name it in
 * their results. Every tool of the catalogs goes through here, and none knows of it.
 */

export function acceptIgnoredInOperation(operation: ToolOperation): ToolOperation {
  const mine = IgnoredArguments.of(operation.name);
  if (mine === undefined) return operation;
  return {
    ...operation,
    input: mine.input(operation.input),
    result: mine.result(operation.result),
    ignored: (input) => mine.part(input).ignored,
    unechoed: (input) => operation.unechoed?.(mine.part(input).rest),
    *run(input) {
      const { rest, ignored } = mine.part(input);
      const result = yield* operation.run(rest);
      return { ...result, ...ignoredField(ignored) } as JsonObject;
    },
    summarize: (result) => withIgnoredNamed(operation.summarize(result), reportsIn(result)),
  };
}

export function acceptIgnoredInTool(tool: ProjectTool): ProjectTool {
  const mine = IgnoredArguments.of(tool.name);
  if (mine === undefined) return tool;
  type Input = Parameters<ProjectTool['summarize']>[1];
  const reported = (input: Input, show: (rest: Input) => object) => {
    const { rest, ignored } = mine.part(input);
    return { ...show(rest), ...ignoredField(ignored) };
  };
  const text = {
    input: mine.input(tool.input),
    result: mine.result(tool.result),
    summarize: (result: object, input: Input) =>
      withIgnoredNamed(tool.summarize(result, mine.part(input).rest), reportsIn(result)),
  };
  if (tool.kind === 'view')
    return {
      ...tool,
      ...text,
      view: (project, input) => reported(input, (rest) => tool.view(project, rest)),
    };
  return {
    ...tool,
    ...text,
    command: (input) => tool.command(mine.part(input).rest),
    show: (outcome, input) => reported(input, (rest) => tool.show(outcome, rest)),
  };
}

function reportsIn(result: unknown): readonly IgnoredReport[] | undefined {
  return (result as { readonly ignored?: readonly IgnoredReport[] }).ignored;
}
