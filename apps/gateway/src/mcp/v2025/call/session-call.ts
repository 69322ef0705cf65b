import type { Call } from '../../../call/call.ts';
import { clientTraits } from '../../../call/client-traits.ts';
import type { Notify } from '../../../edge/streams/json-or-sse-reply.ts';
import type { Session } from '../../../sessions/session.ts';
import { declaresTasks } from './task-param.ts';

/** A call of a session's client, or, without one, of a client that says nothing of itself but its `revision`. */
export function sessionCall<Of extends Call>(
  call: Of,
  session: Session | undefined,
  revision: string | undefined,
): Of {
  if (session === undefined) return { ...call, client: clientTraits(revision) };
  const { id: sessionId, capabilities, protocolVersion, client } = session;
  call.caller.client = client.name ?? '';
  return { ...call, client: clientTraits(protocolVersion, client.name), sessionId, capabilities };
}

/** A session's call whose reply is a stream of its own, so that its client may be asked there. */
export function streamedCall<Of extends Call>(call: Of, session: Session, notify: Notify): Of {
  // Clients of the earlier revisions read each event as a message.
  const takesBareIds = declaresTasks(session.protocolVersion);
  const sendEvent: Call['sendEvent'] = (json, id) => {
    if (json !== '' || (takesBareIds && id !== undefined)) notify(json, id);
  };
  return { ...call, sendEvent };
}
