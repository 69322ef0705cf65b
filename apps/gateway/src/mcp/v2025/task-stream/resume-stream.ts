import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { supportedRequests } from '../../../call/dialect-choice.ts';
import type { AdmittedCall } from '../../../call/call.ts';
import { rethrowAsRpcError } from '../../../json-rpc/rpc-error.ts';
import type { Session } from '../../../sessions/session.ts';
import type { DirectAnswer } from '../../dispatch/revision-server.ts';
import { sessionCall, streamedCall } from '../call/session-call.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { CancellableRequests } from '../call/cancellable-requests.ts';
import type { TaskStreamDependencies } from './task-stream.ts';
import type { Dispatched } from '../../dispatch/send-dispatched.ts';
import { runOnStream } from './run-on-stream.ts';

interface ResumeServices {
  readonly dispatcher: Dispatcher;
  readonly taskStreams: TaskStreamDependencies;
  readonly cancellable: CancellableRequests;
}

/**
 * The rest of a stream that its client has lost, on any replica: from the event `lastEventId` on by the task as it is now, up to the response
 * (MCP 2025-11-25, basic/transports, Resumability and Redelivery). Errors: `invalid_arguments` for an event that is none of this session's, and for one of a
 * request that its client has cancelled.
 */
export function resumeStream(
  lastEventId: string,
  session: Session,
  admitted: AdmittedCall,
  { dispatcher, taskStreams, cancellable }: ResumeServices,
): Dispatched {
  const caller = sessionCall(admitted, session, undefined);
  const position = taskStreams.positions.parse(lastEventId, caller);
  cancellable.refuseCancelled(session, position.request);
  const { request: id, method, progressToken, dialect } = position;
  const _meta = progressToken === undefined ? {} : { progressToken };
  const request: JSONRPCRequest = { jsonrpc: '2.0', id, method, params: { _meta } };
  const supports = supportedRequests(session.capabilities);
  const dialectChoice = { dialect, isForced: true, possible: [dialect], supports };
  const call = { ...caller, dialectChoice };
  const resumed: Dispatched = {
    call,
    requests: [request],
    respond: (notify) => {
      const onStream = notify ? streamedCall(call, session, notify) : call;
      const answer: DirectAnswer = ({ reportProgress }) =>
        rethrowAsRpcError(call, () =>
          runOnStream(taskStreams, position, {
            ...onStream,
            ...(reportProgress && { reportProgress }),
          }),
        );
      return dispatcher.resume(request, answer, onStream, notify);
    },
  };
  return cancellable.track(resumed, session);
}
