import type { ReadLimits } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import {
  LEAST_TASK,
  nextTaskId,
  type Project,
  requireConnectedFile,
  requireProject,
  requireRoom,
  resolveTag,
  existingTarget,
  type MustExist,
} from '../project/index.ts';
import { DEFAULT_PRD_NAME } from './input.ts';
import { type ProjectContext, readProjectContext } from '../project-context/project-context.ts';

/** The document of a call that does not bring its text. */
interface ConnectedDocument {
  readonly projectRoot: string;
  /** By default the name that claude-task-master gives it. */
  readonly name: string | undefined;
}

/** What parse_prd reads of a project before it asks the LLM; it is journaled, so it is kept small. */
interface PrdContext {
  readonly tag: string;
  readonly mustExist?: MustExist | undefined;
  readonly count: number;
  readonly nextId: number;
  /** The latest tasks by id and title. */
  readonly existing: readonly object[];
  readonly rules?: string | undefined;
  readonly context?: ProjectContext | undefined;
  /** The text of the file that `input` names. */
  readonly document?: string | undefined;
}

const MOST_EXISTING = 200;
const MOST_RELATED = 10;

/** What the call says of the document, and of what becomes of the tasks that are there. */
interface PrdWish {
  readonly tag: string | undefined;
  readonly append: boolean;
  /** The text that the call brings. */
  readonly prd: string | undefined;
  readonly connected?: ConnectedDocument | undefined;
}

/**
 * The tag that the tasks will go to, what the project says, and, for a call that appends, its tasks.
 *
 * @throws BatonError `project_not_found`, `file_not_found` for an `input` that is not there, `invalid_arguments` where
 *   nothing says what the document is, `limit_size`.
 */
export function readPrdContext(
  project: Project | undefined,
  { tag: tagWish, append, prd, connected }: PrdWish,
  limits: ReadLimits,
): PrdContext {
  const tag = resolveTag(project, tagWish);
  const tasks = project?.tags.get(tag)?.tasks ?? [];
  if (append)
    requireRoom(project, { command: 'add_tasks', tag, mode: 'append', tasks: [{ id: 1, ...LEAST_TASK }] });
  const document = connected && readDocument(project, connected);
  const query = prd ?? document ?? '';
  const ofTasks = { tag, about: [], dependencies: [], query, related: MOST_RELATED, plan: MOST_EXISTING };
  const { plan, ...known } = readProjectContext(project, append ? ofTasks : undefined, limits);
  return {
    tag,
    mustExist: existingTarget(project, tag),
    count: tasks.length,
    nextId: nextTaskId(tasks),
    existing: plan,
    ...known,
    document,
  };
}

/** A path within the project, as claude-task-master's callers give it, is the name of the file there. */
function readDocument(project: Project | undefined, { projectRoot, name }: ConnectedDocument): string {
  if (name !== undefined) {
    const existing = requireProject(project, projectRoot);
    const within = name.startsWith(`${projectRoot}/`) ? name.slice(projectRoot.length + 1) : name;
    const file = existing.files.get(name);
    return (file ?? requireConnectedFile(existing, within, 'prd takes the text itself')).text;
  }
  const file = project?.files.get(DEFAULT_PRD_NAME);
  if (file !== undefined) return file.text;
  const message =
    'prd: give the text of the document, or as input the name of a file that connect_files has put into the project';
  throw new BatonError('invalid_arguments', message, { field: 'prd' });
}
