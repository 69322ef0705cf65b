import { isRecord } from '@baton/protocol';

/** Of the revisions that are spoken here, the one that has tasks. */
const REVISION_WITH_TASKS = '2025-11-25';

/** Whether a client of this revision is told of tasks, when it initializes. */
export function declaresTasks(protocolVersion: string | undefined): boolean {
  return protocolVersion === REVISION_WITH_TASKS;
}

/**
 * Takes `task` out of the params of requests that no task was declared for: who does not declare it processes requests as if it
 * were not there (MCP 2025-11-25, basic/utilities/tasks, Task Support and Handling). A request that tells no revision is of none that has tasks.
 */
export function removeUndeclaredTaskParam(body: unknown, protocolVersion: string | undefined): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    const params = isRecord(message) ? message['params'] : undefined;
    if (!isRecord(params) || params['task'] === undefined) continue;
    if ((message as Record<string, unknown>)['method'] !== 'tools/call' || !declaresTasks(protocolVersion))
      delete params['task'];
  }
}
