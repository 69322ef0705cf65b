import { toBatonError } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Call, Progress } from '../../call/call.ts';
import { errorHeaders, problemOf } from '../../edge/error-responses.ts';
import { acceptedReplies } from '../../edge/streams/accept-header.ts';
import { sendJsonOrSse } from '../../edge/streams/json-or-sse-reply.ts';

/** A response whose `body` is the JSON that leaves; its headers are set on the reply. */
interface JsonResponse {
  readonly status: number;
  readonly body: string;
}

const EVENTS = { notification: 'progress', response: 'response' };

/** Headers of a reply that say something of its body. */
const TOLD_HEADERS = ['location', 'preference-applied', 'baton-continuation'];

/**
 * Replies to a call with its response; to a client that accepts a stream with its progress as well, while it waits. The stream begins
 * with the first thing that is to be told; its last event is what the response would have been: status, headers and body.
 */
export function sendWithProgress(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  respond: (call: Call) => Promise<JsonResponse>,
): Promise<unknown> {
  const told = (): Record<string, unknown> =>
    Object.fromEntries(
      TOLD_HEADERS.filter((name) => reply.hasHeader(name)).map((name) => [name, reply.getHeader(name)]),
    );
  return sendJsonOrSse(
    reply,
    async (notify) => {
      const reporting: Call =
        notify === undefined
          ? call
          : { ...call, reportProgress: async (progress) => notify(JSON.stringify(eventOf(progress))) };
      try {
        const response = await respond(reporting);
        return {
          response,
          get json() {
            return `{"status":${response.status},"headers":${JSON.stringify(told())},"body":${response.body}}`;
          },
        };
      } catch (thrown) {
        return {
          thrown,
          get json() {
            const error = toBatonError(thrown);
            // What does not end in a stream is logged with its status.
            call.logEvent('refused', { code: error.code });
            const headers = { ...told(), ...errorHeaders(error, request) };
            return JSON.stringify({ status: error.row.http, headers, body: problemOf(error) });
          },
        };
      }
    },
    {
      acceptsStream: acceptedReplies(request).namesStream,
      isAdmitted: () => call.caller.admitted,
      events: EVENTS,
    },
    async ({ response, thrown }) => {
      if (response === undefined) throw thrown;
      return reply.status(response.status).type('application/json; charset=utf-8').send(response.body);
    },
  );
}

/** What MCP has under `_meta`, under names of its own. */
function eventOf({ progress, message, meta }: Progress) {
  const more = Object.entries(meta).map(([name, value]) => [name.replace('baton/', ''), value]);
  return { progress, message, ...Object.fromEntries(more) };
}

/** A response as a route describes it, beside which a client may have it as a stream. */
export function withEventStream<Response extends { readonly content: object }>(response: Response) {
  const schema = z
    .string()
    .describe('To a client that accepts it, of a call that waits: events progress, then response');
  return { ...response, content: { ...response.content, 'text/event-stream': { schema } } };
}
