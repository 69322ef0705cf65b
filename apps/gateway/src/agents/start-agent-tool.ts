import { BatonError, type JsonObject } from '@baton/protocol';
import type { AdmittedCall } from '../call/call.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import type { RequestMeta } from '../tools/tool.ts';

/**
 * Starts a specialist for a call of its tool: `args` fit its parameters, and it was enabled when the call was read.
 * Errors: `program_unavailable`.
 */
export async function startAgentTool(
  id: string,
  _args: JsonObject,
  _call: AdmittedCall,
  _meta: RequestMeta,
): Promise<ToolReply> {
  throw new BatonError(
    'program_unavailable',
    `No program of this release runs the agent '${id}'. Upgrade Baton, or ask the agent's model yourself.`,
  );
}
