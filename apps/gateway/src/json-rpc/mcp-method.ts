import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { ServerResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { type Access, admitCall } from '../call/access.ts';
import type { AdmittedCall, Call } from '../call/call.ts';
import { callFromExtra } from './call-in-auth-info.ts';
import { parseRequest, rawRequestSchema } from './parse-request.ts';
import { rethrowAsRpcError } from './rpc-error.ts';

/** A method of MCP that Baton serves; `ping`, `initialize` and unknown ones are the SDK's. */
export interface McpMethod {
  readonly name: string;
  readonly access: Access;
  /** What it answers to params as they came, for REST. Errors: as over MCP, an `RpcError` or a BatonError. Undefined where REST has a way of its own. */
  readonly answer?: (params: unknown, call: Call) => Promise<ServerResult>;
  /** Has a server answer for it. */
  register(server: Server, log: (error: unknown) => void): void;
}

/** A method whose caller is admitted before its params are read. */
export function defineEdgeAdmittedMethod<Request>(
  name: string,
  access: Access<'edge'>,
  schema: z.ZodType<Request>,
  answer: (request: Request, call: AdmittedCall) => Promise<ServerResult> | ServerResult,
): McpMethod {
  const raw = rawRequestSchema(name);
  const answerRequest = async (request: unknown, call: Call) => {
    const admitted = await admitCall(call, access);
    return answer(parseRequest(schema, request), admitted);
  };
  return {
    name,
    access,
    answer: (params, call) => answerRequest({ method: name, params }, call),
    register: (server, log) =>
      server.setRequestHandler(raw, (request, extra) =>
        rethrowAsRpcError(log, () => answerRequest(request, callFromExtra(extra))),
      ),
  };
}
