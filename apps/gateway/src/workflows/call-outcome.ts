import { type BatonError, isRecord, type JsonObject } from '@baton/protocol';
import type { ArgumentProblem, ClientCall } from '@baton/workflows';

/** What a call of a tool has come to, as a workflow records it. */
export type CallOutcome = ClientCall['outcome'];

/**
 * Of a call that was answered. An operation's directive, or its task while it works, is no result yet; of any other tool, such as
 * `task_status`, a task that works is what was asked for.
 */
export function outcomeOf(structured: JsonObject, isOperation: boolean): CallOutcome {
  const { status, taskId, operation } = structured;
  if (typeof taskId === 'string' && status === 'pending_agent_llm_action') {
    return { kind: 'delegated', taskId, directive: structured };
  }
  if (
    isOperation &&
    typeof taskId === 'string' &&
    typeof operation === 'string' &&
    status === 'working' &&
    !isRecord(structured['result'])
  ) {
    return { kind: 'working', taskId };
  }
  return { kind: 'completed', output: structured };
}

/** Of a call that was refused, or that failed. The error of an operation names the task whose end it is; that of a key that was used before names another's. */
export function outcomeOfError(error: BatonError, isOperation = false): CallOutcome {
  const { issues, taskId } = error.details;
  if (error.code === 'invalid_arguments' && Array.isArray(issues))
    return { kind: 'refused', problems: issues as ArgumentProblem[] };
  const isEnd = isOperation && typeof taskId === 'string' && error.code !== 'idempotency_conflict';
  return {
    kind: 'failed',
    error: error.toWire(),
    repeat: error.row.repeat,
    ...(isEnd ? { taskId } : {}),
  };
}
