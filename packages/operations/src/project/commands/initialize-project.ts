import { definedFields } from '../../schema/defined-fields.ts';
import type { z } from 'zod';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';
import { generatedTaskSchema } from '../model/generated-task.ts';
import { DEFAULT_TAG, newProject, newTag, type Project, withTag } from '../model/project.ts';
import type { ProjectMetadata } from '../model/project-metadata.ts';
import type { Task } from '../model/task.ts';
import { addTasks } from './add-tasks.ts';

/** A project's first tasks, as its caller wrote them. */
export const MAX_FIRST_TASKS = 100;
export const firstTaskSchema = generatedTaskSchema.pick({
  title: true,
  description: true,
  details: true,
  testStrategy: true,
  priority: true,
});
type FirstTask = z.infer<typeof firstTaskSchema>;

/** Creates a project, or updates its metadata; fields that are not given stay, and a language of null is taken out. */
interface InitializeProject {
  readonly about: { readonly [K in keyof ProjectMetadata]?: ProjectMetadata[K] | null | undefined };
  readonly rules?: readonly string[] | undefined;
  readonly tasks?: readonly FirstTask[] | undefined;
}

/**
 * The project with its metadata, and with those of `tasks` in its current tag whose titles none there has, so that the
 * same command again adds nothing. The outcome tells which tasks it added.
 *
 * @throws BatonError `limit_size`.
 */
export function initializeProject(
  project: Project | undefined,
  command: InitializeProject,
  now: string,
): CommandResult {
  const existing = project ?? withTag(newProject(DEFAULT_TAG), DEFAULT_TAG, newTag(DEFAULT_TAG, now));
  const about = { created: now, ...existing.about, ...definedFields(command.about) };
  const begun = {
    ...existing,
    about: Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null)) as ProjectMetadata,
    rules: command.rules ?? existing.rules,
  };
  const { next, added } = withFirstTasks(begun, command.tasks ?? [], now);
  const outcome = { about: next.about, rules: next.rules, created: project === undefined, added };
  return { project: next, outcome: asJsonOutcome(outcome) };
}

function withFirstTasks(
  project: Project,
  wanted: readonly FirstTask[],
  now: string,
): { next: Project; added: Pick<Task, 'id' | 'title' | 'status'>[] } {
  if (wanted.length === 0) return { next: project, added: [] };
  const tag = project.currentTag;
  const titles = new Set(project.tags.get(tag)?.tasks.map(({ title }) => title));
  const tasks = wanted
    .filter(({ title }) => !titles.has(title) && titles.add(title))
    .map((task, at) => ({ ...task, id: at + 1 }));
  if (tasks.length === 0) return { next: project, added: [] };
  const { project: next, added } = addTasks(project, { tag, mode: 'append', tasks }, now);
  return { next, added: added.tasks.map(({ id, title, status }) => ({ id, title, status })) };
}
