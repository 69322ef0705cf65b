import { changedProjectFieldsInSteps, type StoredIndex } from '../project/formats/stored-fields.ts';
import { type ChangedFields, type Project, ProjectFields, tasksFileInSteps } from '../project/index.ts';

/** What the product does in steps or in parts, done at once with a whole project. */

export function changedProjectFields(
  before: Project | undefined,
  after: Project,
  stored?: StoredIndex,
): ChangedFields {
  const steps = changedProjectFieldsInSteps(before, after, 'stamp', stored);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The project whose fields these are, all of them. @throws Error on fields that no commit wrote. */
export function projectFromFields(fields: ReadonlyMap<string, string>): Project {
  const all = new ProjectFields({ whole: true });
  for (const [field, text] of fields) all.add(field, text);
  return all.project;
}

/** A project as tasks.json has it. */
export function toTasksFile(project: Project): Record<string, unknown> {
  return JSON.parse([...tasksFileInSteps(project)].join('')) as Record<string, unknown>;
}
