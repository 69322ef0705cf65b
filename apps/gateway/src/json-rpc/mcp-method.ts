import type { Result } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { admitCall } from '../call/access.ts';
import type { Access, AdmittedCall, Call } from '../call/call.ts';
import { parseRequest } from './parse-request.ts';

/** A method of MCP that Baton serves, whatever the revision of its caller; `ping`, `initialize`, `server/discover` and unknown ones are the SDK's. */
export interface McpMethod {
  readonly name: string;
  readonly access: Access;
  /** What it answers to params as they came. Errors: an `RpcError` or a BatonError. */
  answer(params: unknown, call: Call): Promise<Result>;
}

/** A method whose caller is admitted before its params are read. */
export function defineEdgeAdmittedMethod<Request>(
  name: string,
  access: Access<'edge'>,
  schema: z.ZodType<Request>,
  answer: (request: Request, call: AdmittedCall) => Promise<Result> | Result,
): McpMethod {
  return {
    name,
    access,
    answer: async (params, call) => {
      const admitted = await admitCall(call, access);
      return answer(parseRequest(schema, { method: name, params }), admitted);
    },
  };
}
