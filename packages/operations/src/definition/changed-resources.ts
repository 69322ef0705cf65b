import { isRecord } from '@baton/protocol';

/** Resources that tools make or change, by the names of their kinds. */
export type ChangedResource =
  | 'projects'
  | 'status'
  | 'tasks'
  | 'task'
  | 'attachment'
  | 'complexity-report'
  | 'rules'
  | 'files'
  | 'delegated-task';

/** One of them, with the variables of its URI. */
export interface ChangedResourceRef {
  readonly kind: ChangedResource;
  readonly variables: Readonly<Record<string, string>>;
}

/** Results name so many resources at most: what they say goes into a model's context. */
const MAX_CHANGED_RESOURCES = 8;
/** Of more tasks than these the list is named, and none of them. */
const MAX_TASKS = 5;

/**
 * The resources of these kinds that a result names. Results name the same things alike (`projectRoot`, `tag`, `task`, `taskIds`,
 * `moved[].to`, ...), so a tool says which kinds it makes or changes, and the rest follows.
 */
export function changedResources(
  kinds: readonly ChangedResource[],
  result: Readonly<Record<string, unknown>>,
): readonly ChangedResourceRef[] {
  return kinds
    .flatMap((kind) => variablesOf(kind, result).map((variables) => ({ kind, variables })))
    .slice(0, MAX_CHANGED_RESOURCES);
}

function variablesOf(
  kind: ChangedResource,
  result: Readonly<Record<string, unknown>>,
): readonly Record<string, string>[] {
  if (kind === 'projects') return [{}];
  const { taskId } = result;
  if (kind === 'delegated-task') return typeof taskId === 'string' ? [{ taskId }] : [];
  const project = projectOf(result);
  if (project === undefined) return [];
  if (kind === 'rules' || kind === 'files') return [{ project }];
  const { tag: named, currentTag, newName } = result;
  // How a project stands is that of its current tag; the one that a result names may be gone.
  const tag = kind === 'status' ? (currentTag ?? named) : (newName ?? named ?? currentTag);
  const inTag = typeof tag === 'string' ? { project, tag } : { project };
  switch (kind) {
    case 'task': {
      const ids = taskIdsIn(result);
      return ids.length > MAX_TASKS ? [] : ids.map((id) => ({ ...inTag, id }));
    }
    case 'attachment':
      return entriesOf(result['attachments']).map(({ n }) => ({
        ...inTag,
        id: String(result['id']),
        n: String(n),
      }));
    default:
      return [inTag];
  }
}

function projectOf({ projectRoot, workspace }: Readonly<Record<string, unknown>>): string | undefined {
  const project = projectRoot ?? (isRecord(workspace) ? workspace['id'] : undefined);
  return typeof project === 'string' ? project : undefined;
}

/** Fields that hold tasks, or what names one: `[field, key]` of each entry. */
const TASKS_IN = [
  ['tasks', 'id'],
  ['updated', 'id'],
  ['updatedTasks', 'id'],
  ['converted', 'id'],
  ['cleared', 'id'],
  ['moved', 'to'],
] as const;

function taskIdsIn(result: Readonly<Record<string, unknown>>): string[] {
  const { id, task, taskIds, savedTo } = result;
  const found = [
    savedTo,
    isRecord(task) ? task['id'] : undefined,
    id,
    ...(Array.isArray(taskIds) ? taskIds : []),
    ...TASKS_IN.flatMap(([field, key]) => entriesOf(result[field]).map((entry) => entry[key])),
  ];
  const ids = found.filter((one) => /^[1-9]\d{0,9}(\.[1-9]\d{0,9})?$/.test(String(one))).map(String);
  return [...new Set(ids)];
}

function entriesOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
