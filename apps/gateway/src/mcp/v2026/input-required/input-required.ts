import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../../call/call.ts';
import { resolveDialect } from '../../../call/resolve-dialect.ts';
import type { UnfinishedTask } from '../../../call/tool-reply.ts';
import {
  inputRequestsOf,
  type ShownRequest,
  toClientRequests,
} from '../../client-requests/client-requests.ts';
import type { RepeatableCall, RequestStates, Turn } from './request-states.ts';

/**
 * The result of a call that goes on once its client has answered (MCP 2026-07-28, InputRequiredResult). Without requests the call is to be
 * repeated to wait on.
 */
export interface InputRequired {
  readonly resultType: 'input_required';
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: object }>>;
  readonly requestState: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** A task that a call waits for; `workflow`: that of `prompts/get`, of which it is a step. */
export type WaitingTask = UnfinishedTask & { readonly workflow?: string };

/**
 * What a call is answered with whose task goes on; undefined where its client is to be shown the directive instead: it takes no requests
 * within its calls, or none of this kind.
 */
export async function askForInput(
  waiting: WaitingTask,
  call: Call,
  states: RequestStates,
  repeated: RepeatableCall,
): Promise<InputRequired | undefined> {
  const dialectChoice = await resolveDialect(call);
  if (dialectChoice === undefined || dialectChoice.dialect === 'tool') return undefined;
  const asked = await toClientRequests(waiting.pending, call);
  if (asked === undefined) return undefined;
  return {
    resultType: 'input_required',
    ...(asked.length > 0 && { inputRequests: inputRequestsOf(asked) }),
    requestState: states.sealTurn(turnOf(waiting, asked), call, repeated),
    _meta: { [RELATED_TASK_META_KEY]: { taskId: waiting.workflow ?? waiting.taskId } },
  };
}

/** Where a call stands that was asked these. */
export function turnOf({ taskId, operation, workflow }: WaitingTask, asked: readonly ShownRequest[]): Turn {
  const shown = asked.map(({ number, key, interactionId, request: { method } }) => ({
    number,
    ...(key !== interactionId && { key }),
    ...(method !== 'sampling/createMessage' && { method }),
  }));
  return { taskId, operation, shown, ...(workflow !== undefined && { workflow }) };
}
