import { isRecord } from '@baton/protocol';

/**
 * Takes `task` out of a request's params. Baton declares no task capability yet, and who does not processes requests
 * as if it were not there (MCP 2025-11-25, basic/utilities/tasks); the SDK would answer with an error of its own.
 */
export function removeTaskParam(body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    const params = isRecord(message) ? message['params'] : undefined;
    if (isRecord(params)) delete params['task'];
  }
}
