import { toBatonError } from '@baton/protocol';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CompleteRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  type ServerResult,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { callFromAuthInfo } from '../json-rpc/call-context.ts';
import { concernsTheEdge } from '../mcp/call-tool.ts';
import { rawRequest, toRpcError, parseRequest } from '../json-rpc/parse-request.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { resourceTemplates } from './catalog.ts';
import { completeVariable } from './complete-variable.ts';
import { listResources } from './list-resources.ts';
import { readResource } from './read-resource.ts';
import type { AdmittedCall } from './resource-kind.ts';
import { subscribe, unsubscribe } from './subscribe.ts';

/**
 * MCP resources (2-contract: "Tools, resources, content"). `catalog` names every kind; `projects`, `delegation` and
 * `prompts` define them by `resource` and `uri-template`; `list`, `read`, `complete` and `subscribe` are what is asked of
 * them, `change` says which of them a change concerns.
 */
export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true }, completions: {} };

/** Made once for all servers of a process: what lets a server answer for resources. */
export function resourceRequestHandlers(log: (error: unknown) => void): (server: Server) => void {
  const serve = <Asked>(
    method: string,
    schema: z.ZodType<Asked>,
    answer: (asked: Asked, visit: AdmittedCall) => Promise<ServerResult> | ServerResult,
  ) => {
    const asked = rawRequest(method);
    return (server: Server) =>
      server.setRequestHandler(asked, (request, { authInfo }) => {
        const call = callFromAuthInfo(authInfo);
        return toRpcError(call, () =>
          answering(log, async () => {
            const identity = await call.caller.admit(['mcp', 'agent']);
            return answer(parseRequest(schema, request), { call, identity });
          }),
        );
      });
  };
  const all = [
    serve('resources/list', ListResourcesRequestSchema, ({ params }, visit) =>
      listResources(params?.cursor, visit),
    ),
    serve('resources/read', ReadResourceRequestSchema, ({ params }, visit) =>
      readResource(params.uri, visit),
    ),
    serve('resources/templates/list', ListResourceTemplatesRequestSchema, ({ params }) => {
      // All templates fit one page, so there is no cursor that Baton could have given out.
      if (params?.cursor !== undefined)
        throw new RpcError(-32602, `Unknown cursor: ${params.cursor.slice(0, 100)}`);
      return { resourceTemplates };
    }),
    serve('resources/subscribe', SubscribeRequestSchema, ({ params }, visit) => subscribe(params.uri, visit)),
    serve('resources/unsubscribe', UnsubscribeRequestSchema, ({ params }, visit) =>
      unsubscribe(params.uri, visit),
    ),
    serve('completion/complete', CompleteRequestSchema, ({ params }, visit) =>
      completeVariable(params, visit),
    ),
  ];
  return (server) => {
    for (const one of all) one(server);
  };
}

/** What is wrong with a request is its own error; only what concerns the credential, the tenant or the server is the edge's. */
async function answering<T>(log: (error: unknown) => void, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown;
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    throw concernsTheEdge(error) ? error : RpcError.of(error);
  }
}
