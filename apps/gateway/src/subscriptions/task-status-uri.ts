const TASK = 'baton://tasks/';
const STATUS = '#status';

/** The URI of a task's resource. */
export function uriOfTask(taskId: string): string {
  return `${TASK}${taskId}`;
}

/** What a stream is subscribed to that tells of a task's status. It is no resource: clients subscribe to none of these by themselves. */
export function statusUriOf(taskId: string): string {
  return `${uriOfTask(taskId)}${STATUS}`;
}

/** The task whose status is told by a URI; undefined for the URI of a resource. */
export function taskOfStatusUri(uri: string): string | undefined {
  return uri.startsWith(TASK) && uri.endsWith(STATUS) ? uri.slice(TASK.length, -STATUS.length) : undefined;
}

/** The resource that changes with what a URI tells of. */
export function resourceOf(uri: string): string {
  const taskId = taskOfStatusUri(uri);
  return taskId === undefined ? uri : uriOfTask(taskId);
}
