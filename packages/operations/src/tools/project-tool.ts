import type { JsonObject } from '@baton/protocol';
import type { Operation, ToolHints } from '../definition/operation.ts';
import type { ProjectCommand, Project } from '../project/index.ts';

/** Name, texts and schemas of a tool without an LLM. Its input names the project with `projectRoot`. */
interface ToolText<Input, Result>
  extends Pick<
    Operation<Input, Result>,
    'name' | 'title' | 'category' | 'changes' | 'description' | 'input' | 'result' | 'hints'
  > {
  /** One sentence about a result, for clients that read only text. */
  summarize(result: Result, input: Input): string;
  /** Images that the call asked for beside the result, for the content of the reply. */
  images?(result: Result, input: Input): readonly { readonly mimeType: string; readonly text: string }[];
  /** How many tasks it has gone through, where it goes through all of a tag: they count against the rate. */
  checked?(result: Result): number;
  /** What people may want to do after it, a sentence each. */
  readonly nextSteps?: readonly string[];
}

interface Target {
  readonly projectRoot: string;
}

/** A tool that only reads a project. */
interface ProjectViewTool<Input = Target, Result = object> extends ToolText<Input, Result> {
  readonly kind: 'view';
  view(project: Project | undefined, input: Input): Result;
}

/** A tool that changes a project by one command; `show` turns the command's outcome into the result. */
interface ProjectChangeTool<Input = Target, Result = object> extends ToolText<Input, Result> {
  readonly kind: 'change';
  command(input: Input): ProjectCommand;
  show(outcome: JsonObject, input: Input): object;
}

export type ProjectTool = ProjectViewTool | ProjectChangeTool;

const READ_HINTS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const WRITE_HINTS: ToolHints = { ...READ_HINTS, readOnlyHint: false, idempotentHint: false };
export const IDEMPOTENT_WRITE_HINTS: ToolHints = { ...WRITE_HINTS, idempotentHint: true };
/** For tools that take something away or put something in its place. */
export const DESTRUCTIVE_HINTS: ToolHints = { ...WRITE_HINTS, destructiveHint: true };
export const IDEMPOTENT_DESTRUCTIVE_HINTS: ToolHints = { ...DESTRUCTIVE_HINTS, idempotentHint: true };

export function defineViewTool<Input extends Target, Result extends object>(
  spec: Omit<ProjectViewTool<Input, Result>, 'kind' | 'hints'>,
): ProjectTool {
  return { kind: 'view', hints: READ_HINTS, ...spec } as unknown as ProjectTool;
}

/** Unless it says otherwise, a change shows its outcome with the project's key. */
export function defineChangeTool<Input extends Target, Result extends object>(
  spec: Omit<ProjectChangeTool<Input, Result>, 'kind' | 'show'> &
    Partial<Pick<ProjectChangeTool<Input, Result>, 'show'>>,
): ProjectTool {
  const show = (outcome: JsonObject, { projectRoot }: Input) => ({ projectRoot, ...outcome });
  return { kind: 'change', show, ...spec } as unknown as ProjectTool;
}

/** "1 task", "2 tasks". */
export function pluralize(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
