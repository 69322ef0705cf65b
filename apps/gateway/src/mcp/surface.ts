import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type CallToolRequest, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { problemOf } from '@baton/engine';
import { toBatonError } from '@baton/protocol';
import { z } from 'zod';
import type { Call } from '../context.ts';
import type { Tool } from '../tools/tool.ts';
import { callTool } from './call-tool.ts';
import { callOf } from './call-carrier.ts';
import { RpcError } from './rpc-error.ts';

/** Building a validator is a quarter of building a server: all servers of this process share one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** Makes servers that speak MCP's 2025 revisions over the same tools; all of the protocol's behaviour is the SDK's. */
export function surface(
  tools: ReadonlyMap<string, Tool>,
  version: string,
  log: (error: unknown) => void,
): () => Server {
  const listed = [...tools.values()].map((tool) => tool.listing);
  return () => {
    const server = new Server(
      { name: 'baton', title: 'Baton', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
    );
    server.setRequestHandler(asItComes('tools/list'), (request, { authInfo }) =>
      refusing(callOf(authInfo), async () => {
        const { params } = wellFormed(ListToolsRequestSchema, request);
        // All tools fit one page, so there is no cursor that Baton could have given out.
        if (params?.cursor !== undefined)
          throw new RpcError(-32602, `Unknown cursor: ${params.cursor.slice(0, 100)}`);
        return { tools: listed };
      }),
    );
    server.setRequestHandler(asItComes('tools/call'), (request, { authInfo }) => {
      const call = callOf(authInfo);
      // The SDK's own handler, around this one, has parsed it.
      return refusing(call, () => callTool(tools, request.params as CallToolRequest['params'], call, log));
    });
    return server;
  };
}

/** A request before its params were looked at: the SDK would answer a wrong one with -32603, as if it were its fault. */
function asItComes<M extends string>(method: M) {
  return z.looseObject({ method: z.literal(method), params: z.unknown().optional() });
}

function wellFormed<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: z.ZodError } },
  request: unknown,
): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new RpcError(-32602, `Invalid params: ${problemOf(parsed.error)}`);
}

/** Leaves word of a refusal for the edge, and gives the SDK an error that it passes on as it is. */
async function refusing<T>(call: Call, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown;
    call.refused = toBatonError(thrown);
    throw RpcError.of(call.refused);
  }
}
