import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../../call/call.ts';
import { takesAny } from '../../../call/client-delegation.ts';
import { delegationOf } from '../../../call/delegation-of-call.ts';
import type { UnfinishedTask } from '../../../delegation/tool-reply.ts';
import { toClientRequests } from '../../client-requests/client-requests.ts';
import type { RepeatableCall, RequestStates } from './request-states.ts';

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

/**
 * What a call is answered with whose task goes on; undefined where its client is to be shown the directive instead: it takes no requests
 * within its calls, or none of this kind.
 */
export async function askForInput(
  { taskId, operation, pending, workflow }: UnfinishedTask & { readonly workflow?: string },
  call: Call,
  states: RequestStates,
  repeated: RepeatableCall,
): Promise<InputRequired | undefined> {
  const delegation = await delegationOf(call);
  if (delegation === undefined || delegation.dialect === 'tool' || !takesAny(delegation.takes))
    return undefined;
  const asked = await toClientRequests(pending, call);
  if (asked === undefined) return undefined;
  const { requests, shown, persons } = asked;
  const turn = {
    taskId,
    operation,
    shown: [...shown],
    ...(persons.length > 0 && { persons: [...persons] }),
    ...(workflow !== undefined && { workflow }),
  };
  return {
    resultType: 'input_required',
    ...(shown.length > 0 && { inputRequests: requests }),
    requestState: states.sealTurn(turn, call, repeated),
    _meta: { [RELATED_TASK_META_KEY]: { taskId: workflow ?? taskId } },
  };
}
