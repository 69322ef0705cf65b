import { BatonError, isRecord } from '@baton/protocol';
import {
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { admitCallerUnlessAdmitted, ANY_MCP_CALLER } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import { reportingProgress } from '../../json-rpc/call-in-auth-info.ts';
import { httpErrorOf, RpcError } from '../../json-rpc/rpc-error.ts';
import type { Notify } from '../../edge/streams/json-or-sse-reply.ts';
import type { RpcResponse } from './in-flight-requests.ts';
import { replyToBatch } from './reply-to-batch.ts';
import type { DirectAnswer, RevisionServer } from './revision-server.ts';

/** JSON-RPC responses as the JSON that leaves, and the error whose HTTP status goes with them, if they have one. */
export interface DispatchedReply {
  readonly json: string;
  /** Of a batch, its responses each by itself; none of a stream that ends before there is a response. */
  readonly parts?: readonly string[];
  readonly httpError: BatonError | undefined;
  /** The HTTP status of another error, where its revision has one for it. */
  readonly status?: number | undefined;
}

/**
 * Dispatches JSON-RPC requests to the SDK's server of a revision. HTTP is Baton's, since no session and no stream of a request may be bound to a process;
 * the protocol is the SDK's. Only requests go in: a client's notification or response would name ids that are not its own here.
 *
 * Nearly every request is a `tools/call`, which goes straight to what the server's handler does for it: the SDK would parse its request and its result twice
 * more and say the same.
 */
export class Dispatcher {
  private readonly server: RevisionServer;

  constructor(server: RevisionServer) {
    this.server = server;
  }

  /**
   * The requests of a batch, several at once, beside what was said to its messages that are none. Where all of them are refused with one HTTP status, the reply has it, and tells to wait as
   * long as the last of them is to.
   */
  async sendBatch(
    requests: readonly JSONRPCRequest[],
    refusals: readonly JSONRPCErrorResponse[],
    call: Call,
    notify?: Notify,
  ): Promise<DispatchedReply> {
    const replies = await replyToBatch(
      requests,
      (request) => this.send(request, call, notify),
      (request, error) => this.replyTo(request, call, () => Promise.reject(error)),
    );
    const parts = [...refusals.map((refusal) => JSON.stringify(refusal)), ...replies.map(({ json }) => json)];
    const errors = replies.flatMap(({ httpError }) => httpError ?? []);
    const areAlike = errors.length === parts.length && new Set(errors.map(({ row }) => row.http)).size === 1;
    const [last] = errors.toSorted((a, b) => waitOf(b) - waitOf(a));
    return { json: `[${parts.join()}]`, parts, httpError: areAlike ? last : undefined };
  }

  /** `notify` sends what the request's caller is told before its response. */
  send(request: JSONRPCRequest, call: Call, notify?: Notify): Promise<DispatchedReply> {
    return this.replyTo(request, call, async () => {
      const answer = this.server.directAnswer(request);
      return answer === undefined
        ? this.sendToServer(request, call, notify)
        : answerDirectly(request, answer, call, notify);
    });
  }

  /** What answers a request that was sent before, on another stream. */
  resume(
    request: JSONRPCRequest,
    answer: DirectAnswer,
    call: Call,
    notify?: Notify,
  ): Promise<DispatchedReply> {
    return this.replyTo(request, call, () => answerDirectly(request, answer, call, notify));
  }

  private async replyTo(
    request: JSONRPCRequest,
    call: Call,
    reply: () => Promise<DispatchedReply>,
  ): Promise<DispatchedReply> {
    try {
      return await reply();
    } catch (thrown) {
      const error = thrown instanceof BatonError ? RpcError.of(thrown) : thrown;
      if (!(error instanceof RpcError)) throw thrown;
      logRefusal(request, error, call);
      return errorReply(error, request.id, this.server.statuses);
    }
  }

  private async sendToServer(
    request: JSONRPCRequest,
    call: Call,
    notify: Notify | undefined,
  ): Promise<DispatchedReply> {
    // The SDK answers some methods itself, such as `ping` and unknown ones.
    await admitCallerUnlessAdmitted(call, ANY_MCP_CALLER);
    const response = await this.server.exchange(
      request,
      call,
      notify && ((notification) => notify(JSON.stringify(notification))),
    );
    if (isJSONRPCErrorResponse(response)) logRefusal(request, response.error, call);
    return toReply(request, response, this.server.statuses);
  }
}

async function answerDirectly(
  { id, params }: JSONRPCRequest,
  answer: DirectAnswer,
  call: Call,
  notify: Notify | undefined,
): Promise<DispatchedReply> {
  const progressToken = notify && params?._meta?.progressToken;
  const reporting = reportingProgress(call, progressToken, async (notification) =>
    notify?.(JSON.stringify({ jsonrpc: '2.0', ...notification })),
  );
  const result = await answer(reporting);
  if (result === undefined) return { json: '', parts: [], httpError: undefined };
  return { json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, httpError: undefined };
}

/** A line for a request that is refused by an error of JSON-RPC. */
export function logRefusal(
  { method, params }: JSONRPCRequest,
  { data, code }: { data?: unknown; code: number },
  call: Call,
): void {
  const tool = method === 'tools/call' ? params?.['name'] : method;
  const named = isRecord(data) && typeof data['code'] === 'string' ? data['code'] : String(code);
  // A name that is none may hold anything.
  const isName = typeof tool === 'string' && /^[\w./-]{1,128}$/.test(tool);
  call.logEvent('refused', { ...(isName && { tool }), code: named });
}

function toReply(
  { id }: JSONRPCRequest,
  response: RpcResponse,
  statuses: RevisionServer['statuses'],
): DispatchedReply {
  const json = JSON.stringify({ ...response, id });
  if (!isJSONRPCErrorResponse(response)) return { json, httpError: undefined };
  const { code, data } = response.error;
  return { json, httpError: httpErrorOf(data), status: statuses.get(code) };
}

function waitOf({ details }: BatonError): number {
  return Number(details['retryAfterMs'] ?? 0);
}

function errorReply(
  error: RpcError,
  id: JSONRPCRequest['id'],
  statuses: RevisionServer['statuses'],
): DispatchedReply {
  return { json: error.toResponse(id), httpError: httpErrorOf(error.data), status: statuses.get(error.code) };
}
