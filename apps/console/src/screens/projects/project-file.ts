/** A task or subtask of a tasks.json, as far as the page shows it. */
export interface ProjectItem {
  readonly id: number;
  readonly title: string;
  readonly status?: string;
  readonly description?: string;
  readonly details?: string;
  readonly testStrategy?: string;
}

export interface ProjectTask extends ProjectItem {
  readonly priority?: string;
  readonly dependencies?: readonly number[];
  readonly subtasks?: readonly ProjectItem[];
}

/** A tasks.json: its tags with their tasks. */
export type ProjectFile = Readonly<Record<string, { readonly tasks: readonly ProjectTask[] }>>;

/** How many of the tasks have each status, the most first. */
export function countByStatus(tasks: readonly ProjectTask[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { status = 'pending' } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
