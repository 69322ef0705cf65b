import { type Project, requireProject, tasksFileInSteps } from '@baton/operations';
import type { TenantStore } from '@baton/store';
import { runInSlices } from './time-slices.ts';
import { viewProject } from './view-project.ts';

/** A project as the text of a tasks.json, as it is at one version. Errors: `project_not_found`, `project_conflict`. */
export async function exportProject(tenant: TenantStore, name: string): Promise<string> {
  const project = await viewProject(tenant, name, (found) => readAllTasks(requireProject(found, name)));
  const parts: string[] = [];
  const steps = tasksFileInSteps(project);
  await runInSlices(collect());
  return parts.join('');

  function* collect(): Generator<undefined, void> {
    for (const part of steps) {
      parts.push(part);
      yield;
    }
  }
}

/** Looks at the text of every task, so that it is read. */
function readAllTasks(project: Project): Project {
  for (const { tasks, metadata } of project.tags.values()) {
    void metadata.updated;
    for (const { title } of tasks) void title;
  }
  return project;
}
