import { z } from 'zod';
import { booleanOrText } from '../schema/coercion.ts';

/**
 * Arguments of claude-task-master's tools that a hosted service has no use for. Its callers send them, so they are taken,
 * checked for their type, and named in the result with the reason; they never change what a tool does.
 */
interface IgnoredArgument {
  readonly argument: string;
  /** What is ignored. A tool's own argument of the same name is ignored only where its value is of this kind. */
  readonly schema: z.ZodType;
  readonly reason: string;
  /** Their names, parted by blanks. */
  readonly tools: string;
}

const path = z
  .string()
  .max(4_096)
  .optional()
  .describe('Ignored: Baton opens no paths')
  .meta({ deprecated: true });
const flag = booleanOrText('Ignored').meta({ deprecated: true });

/** The editors for which claude-task-master installs rules of its own: no rules of a project. */
const EDITOR_PROFILES =
  'amp claude cline codex cursor gemini kilo kiro opencode roo trae vscode windsurf zed';

const IGNORED_ARGUMENTS: readonly IgnoredArgument[] = [
  {
    argument: 'file',
    schema: path,
    reason: 'Baton keeps the tasks and reports of a project itself; projectRoot and tag say which are meant.',
    tools:
      'analyze_project_complexity expand_task expand_all scope_up_task scope_down_task update ' +
      'update_task update_subtask add_task get_tasks get_task next_task set_task_status ' +
      'add_subtask remove_task remove_subtask clear_subtasks move_task add_dependency ' +
      'remove_dependency validate_dependencies fix_dependencies complexity_report list_tags ' +
      'add_tag copy_tag rename_tag delete_tag use_tag',
  },
  {
    argument: 'output',
    schema: path,
    reason: 'Baton writes no files: the result holds what was made, and tools and resources show it.',
    tools: 'parse_prd analyze_project_complexity',
  },
  {
    argument: 'complexityReport',
    schema: path,
    reason: 'Baton keeps the complexity report of each tag itself; complexity_report shows it.',
    tools: 'next_task get_tasks get_task set_task_status',
  },
  {
    argument: 'skipGenerate',
    schema: flag,
    reason: 'Baton writes no file per task.',
    tools: 'add_subtask remove_subtask',
  },
  {
    argument: 'fromBranch',
    schema: flag,
    reason: 'Baton sees no Git repository: name names the tag.',
    tools: 'add_tag',
  },
  {
    argument: 'yes',
    schema: flag,
    reason: 'Baton asks for no confirmation.',
    tools: 'initialize_project delete_tag',
  },
  { argument: 'confirm', schema: flag, reason: 'Baton asks for no confirmation.', tools: 'remove_task' },
  {
    argument: 'skipInstall',
    schema: flag,
    reason: 'There is nothing to install.',
    tools: 'initialize_project',
  },
  {
    argument: 'addAliases',
    schema: flag,
    reason: 'Baton changes no shell of yours.',
    tools: 'initialize_project',
  },
  { argument: 'initGit', schema: flag, reason: 'Baton sees no Git repository.', tools: 'initialize_project' },
  {
    argument: 'storeTasksInGit',
    schema: flag,
    reason: 'Baton keeps the tasks itself; GET /v1/projects/{id} gives them as tasks.json.',
    tools: 'initialize_project',
  },
  {
    argument: 'includeProjectTree',
    schema: flag,
    reason: 'Baton sees no directory of yours: filePaths and customContext tell what to know of it.',
    tools: 'research',
  },
  {
    argument: 'saveToFile',
    schema: flag,
    reason: 'Baton writes no files: the result holds the text, and saveTo adds it to a task.',
    tools: 'research',
  },
  {
    argument: 'rules',
    schema: z.array(z.enum(EDITOR_PROFILES.split(' '))).min(1),
    reason: 'Baton installs no rule profiles of editors; rules of the project are given as texts.',
    tools: 'initialize_project',
  },
];

/** What a result says of an argument that was ignored. */
export interface IgnoredReport {
  readonly argument: string;
  readonly reason: string;
}

const reports = z
  .array(z.object({ argument: z.string(), reason: z.string() }))
  .optional()
  .describe('Arguments of claude-task-master that were ignored, and why');

/** What one tool ignores. */
export class IgnoredArguments {
  private readonly entries: readonly IgnoredArgument[];

  private constructor(entries: readonly IgnoredArgument[]) {
    this.entries = entries;
  }

  /** Undefined for a tool that ignores nothing. */
  static of(tool: string): IgnoredArguments | undefined {
    const entries = IGNORED_ARGUMENTS.filter(({ tools }) => tools.split(' ').includes(tool));
    return entries.length === 0 ? undefined : new IgnoredArguments(entries);
  }

  /** The tool's input with what it ignores; every other unknown argument stays refused. */
  input<Input>(input: z.ZodType<Input>): z.ZodType<Input> {
    const own = input as unknown as z.ZodObject;
    const added = this.entries.filter(({ argument }) => !(argument in own.shape));
    return own.safeExtend(
      Object.fromEntries(added.map(({ argument, schema }) => [argument, schema])),
    ) as unknown as z.ZodType<Input>;
  }

  /** The tool's result with the reports. */
  result<Result>(result: z.ZodType<Result>): z.ZodType<Result> {
    return (result as unknown as z.ZodObject).safeExtend({
      ignored: reports,
    }) as unknown as z.ZodType<Result>;
  }

  /** A parsed input, parted into what the tool works with and what is said of the rest. */
  part<Input>(input: Input): { readonly rest: Input; readonly ignored: readonly IgnoredReport[] } {
    const given = { ...input } as Record<string, unknown>;
    const ignored: IgnoredReport[] = [];
    for (const { argument, schema, reason } of this.entries) {
      const value = given[argument];
      if (value === undefined || !schema.safeParse(value).success) continue;
      ignored.push({ argument, reason });
      delete given[argument];
    }
    return { rest: given as Input, ignored };
  }
}

/** As a field of a result, where there is any. */
export function ignoredField(ignored: readonly IgnoredReport[]): { ignored?: readonly IgnoredReport[] } {
  return ignored.length === 0 ? {} : { ignored };
}

/** For clients that read only text. */
export function withIgnoredNamed(summary: string, ignored: readonly IgnoredReport[] = []): string {
  return ignored.length === 0
    ? summary
    : `${summary} Ignored: ${ignored.map(({ argument }) => argument).join(', ')}.`;
}
