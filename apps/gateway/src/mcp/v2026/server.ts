import {
  PerRequestHTTPServerTransport,
  SERVER_INFO_META_KEY,
  Server,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { COMPLETION_CAPABILITIES } from '../../completion/completion-method.ts';
import { callFromExtra, wrapCallInAuthInfo } from '../../json-rpc/call-in-auth-info.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { rethrowAsRpcError } from '../../json-rpc/rpc-error.ts';
import { joinToolResult } from '../../tool-results/tool-result.ts';
import { callToolMethod } from '../dispatch/call-tool-method.ts';
import { InFlightRequests } from '../dispatch/in-flight-requests.ts';
import { INSTRUCTIONS, type McpMethods, SERVER_NAME } from '../dispatch/mcp-methods.ts';
import type { RevisionServer } from '../dispatch/revision-server.ts';
import { CACHE_HINTS } from './cache-hints.ts';
import { ERROR_STATUSES, REVISION_OF_2026 } from './revision.ts';

/** Logging is per request there: its level stands in the request (`log-messages.ts`). */
const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, logging: {}, ...COMPLETION_CAPABILITIES };

/** Params are read by the method itself, whatever the revision. */
const ANY = { params: z.looseObject({}), result: z.looseObject({}) };

/** The methods of 2026-07-28. */
export function methodsOf2026(methods: McpMethods): readonly McpMethod[] {
  const callTool = callToolMethod(
    async (params, call) =>
      JSON.parse(joinToolResult(await methods.callTool(params, call))) as CallToolResult,
  );
  return [callTool, ...methods.shared];
}

/** A server of 2026-07-28. */
export function createServerOf2026(methods: McpMethods, served: readonly McpMethod[]): Server {
  const server = new Server(serverInfo(methods), {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: [REVISION_OF_2026],
    cacheHints: CACHE_HINTS,
  });
  for (const method of served) {
    server.setRequestHandler(method.name, ANY, (params, { mcpReq, http }) => {
      const { _meta, notify: sendNotification } = mcpReq;
      const authInfo = http?.authInfo;
      const extra = { ...(authInfo && { authInfo }), ...(_meta && { _meta }), sendNotification };
      return rethrowAsRpcError(methods.log, () => method.answer(params, callFromExtra(extra)));
    });
  }
  return server;
}

/** Connects the server to the requests of this process's clients. */
export async function serveRevisionOf2026(server: Server, methods: McpMethods): Promise<RevisionServer> {
  const transport = new SharedTransport();
  await server.connect(transport);
  const stamp = `"${SERVER_INFO_META_KEY}":${JSON.stringify(serverInfo(methods))}`;
  return {
    exchange: (request, call, notify) =>
      transport.inFlight.send(
        request,
        (numbered) => transport.onmessage?.(numbered, { authInfo: wrapCallInAuthInfo(call) }),
        notify,
      ),
    encodeToolResult: ({ members, meta }) =>
      joinToolResult({ members: `"resultType":"complete",${members}`, meta: [...meta, stamp] }),
    statuses: ERROR_STATUSES,
  };
}

/** As every result names the server that it is of. */
function serverInfo({ version }: McpMethods) {
  return { ...SERVER_NAME, version };
}

/**
 * Carries the requests of this process's clients to its server. The SDK binds a server to 2026-07-28 by the class of its transport, which
 * is made for one request; of it only that is taken, since a server for each request costs more than the request.
 */
class SharedTransport extends PerRequestHTTPServerTransport {
  readonly inFlight = new InFlightRequests();

  constructor() {
    super({ classification: { era: 'modern', revision: REVISION_OF_2026 } });
  }

  override async send(
    message: JSONRPCMessage,
    { relatedRequestId }: TransportSendOptions = {},
  ): Promise<void> {
    this.inFlight.receive(message, relatedRequestId);
  }
}
