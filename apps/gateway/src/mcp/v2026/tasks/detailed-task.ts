import { BatonError, type ErrorCode, isEnded } from '@baton/protocol';
import type { TaskSummary, TaskView } from '@baton/store';
import type { Call } from '../../../call/call.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { toMcpTask } from '../../../tasks/mcp-task.ts';
import { formatEndedTask } from '../../../tasks/task-result.ts';
import { joinToolResult } from '../../../tool-results/tool-result.ts';
import { changedResourceLinks } from '../../dispatch/changed-resource-links.ts';
import { inputRequestsOf, toClientRequests } from '../../client-requests/client-requests.ts';

/** How soon to ask again, in milliseconds. What waits for its client waits for nothing else. */
const POLL_MS = 1_000;

/** A task as the extension io.modelcontextprotocol/tasks shows it (2026-07-28, Tasks). */
export function taskOf2026(task: TaskView | TaskSummary, { tenant }: Pick<Call, 'tenant'>): JsonFields {
  const { ttl, pollInterval: _, ...fields } = toMcpTask(task, tenant.lifetimes);
  return { ...fields, ttlMs: ttl, ...(isEnded(task.status) ? {} : { pollIntervalMs: POLL_MS }) };
}

type JsonFields = Record<string, unknown>;

/**
 * A task that goes on, as its client is told of it: `input_required` where it is asked something, and otherwise as work that goes on, with what it waits for
 * in words, since others may answer that.
 */
export function openTaskOf2026(
  task: TaskView | TaskSummary,
  isAsked: boolean,
  { tenant }: Pick<Call, 'tenant'>,
): JsonFields {
  const { statusMessage, ...fields } = taskOf2026(task, { tenant });
  if (isAsked) return { ...fields, status: 'input_required' };
  return { ...fields, status: 'working', ...(statusMessage === undefined ? {} : { statusMessage }) };
}

/** Errors that are Baton's own: a task that ended in one has failed as a request, not as the work that it stands for. */
const FAULTS: ReadonlySet<ErrorCode> = new Set(['internal', 'program_diverged']);

/**
 * A task with what `tasks/get` and `notifications/tasks` tell of it, as the JSON of its members: the result that its call would have had, the
 * error, or the requests that it waits for.
 * Errors: those of reading the requests.
 */
export async function detailedTask(view: TaskView, call: Call): Promise<string> {
  const task = taskOf2026(view, call);
  switch (view.status) {
    case 'cancelled':
      return membersOf(task);
    case 'failed': {
      const error = BatonError.fromWire(view.error);
      if (!FAULTS.has(error.code))
        return `${membersOf({ ...task, status: 'completed' })},${await resultOf(view)}`;
      const { code, message, data } = RpcError.of(error);
      return membersOf({ ...task, error: { code, message, data } });
    }
    case 'completed':
      return `${membersOf(task)},${await resultOf(view)}`;
    case 'working':
    case 'input_required': {
      const asked = await toClientRequests(view.pending, call);
      if (asked === undefined || asked.length === 0) return membersOf(openTaskOf2026(view, false, call));
      return membersOf({ ...openTaskOf2026(view, true, call), inputRequests: inputRequestsOf(asked) });
    }
  }

  /** Without metadata: the task is told beside it. A large result is made text once. */
  async function resultOf(end: Parameters<typeof formatEndedTask>[2]): Promise<string> {
    const tool = call.services.tools.get(view.operation);
    const { members } = await formatEndedTask(view.operation, view.taskId, end, call, (structured) =>
      tool === undefined ? [] : changedResourceLinks(tool, structured, call),
    );
    return `"result":${joinToolResult({ members: `"resultType":"complete",${members}`, meta: [] })}`;
  }
}

function membersOf(task: JsonFields): string {
  return JSON.stringify(task).slice(1, -1);
}
