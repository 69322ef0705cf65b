import {
  nextTaskId,
  type Project,
  requireConnectedFile,
  requireProject,
  resolveTag,
} from '../project/index.ts';
import { rulesExcerpt } from '../prompt-kit/rules-section.ts';

/** What parse_prd reads of a project before it asks the LLM; it is journaled, so it is kept small. */
export interface PrdContext {
  readonly tag: string;
  readonly count: number;
  readonly nextId: number;
  readonly existing: readonly ExistingTask[];
  readonly rules?: string | undefined;
  /** The text of the file that `input` names. */
  readonly document?: string | undefined;
}

export interface ExistingTask {
  readonly id: number;
  readonly title: string;
  readonly status: string;
}

const MOST_EXISTING = 200;
const TITLE_LENGTH = 120;

/**
 * The tag that the tasks will go to, and, for a call that appends, its latest tasks.
 *
 * @throws BatonError `project_not_found`, `file_not_found` for an `input` that is not there.
 */
export function readPrdContext(
  project: Project | undefined,
  tag: string | undefined,
  withTasks: boolean,
  input?: string,
): PrdContext {
  const name = resolveTag(project, tag);
  const tasks = project?.tags.get(name)?.tasks ?? [];
  const latest = withTasks ? tasks.slice(-MOST_EXISTING) : [];
  return {
    tag: name,
    count: tasks.length,
    nextId: nextTaskId(tasks),
    existing: latest.map(({ id, title, status }) => ({ id, title: title.slice(0, TITLE_LENGTH), status })),
    rules: rulesExcerpt(project),
    document: input === undefined ? undefined : requireConnectedFile(requireProject(project), input).text,
  };
}
