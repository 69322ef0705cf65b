import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import {
  chooseDelegation,
  type ClientDelegation,
  declares,
  DIALECT_META_KEY,
  SAMPLING,
  TASKS,
} from '../../../call/client-delegation.ts';
import type { Call } from '../../../call/call.ts';
import type { Tool } from '../../../tools/tool.ts';
import type { RequestOf2026 } from '../../../call/request-of-2026.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { MISSING_CAPABILITY } from './revision.ts';

/** How a client can be asked without being told of Baton's tools. The most native dialect comes first. */
const NATIVES = ['task', 'input_required'] as const;

/** What a request says, and how its client is shown requests for an LLM. */
export interface ReadRequestOf2026 {
  readonly of2026: RequestOf2026;
  readonly delegation: ClientDelegation;
}

/** An error to refuse a request with where it forces a dialect that there is not, or that its client lacks the capabilities for. */
export function readRequestOf2026(
  { params = {} }: JSONRPCRequest,
  meta: Readonly<Record<string, unknown>>,
): ReadRequestOf2026 | RpcError {
  const given = meta[CLIENT_CAPABILITIES_META_KEY];
  const chosen = chooseDelegation(meta[DIALECT_META_KEY], given, [...NATIVES, 'tool'], NATIVES);
  if ('message' in chosen) {
    const { message, requiredCapabilities } = chosen;
    if (requiredCapabilities === undefined) return new RpcError(-32602, message);
    return new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
  }
  return {
    delegation: chosen,
    of2026: {
      takesTasks: declares(given, TASKS),
      requestState: params['requestState'],
      inputResponses: params['inputResponses'],
    },
  };
}

/** Refuses what needs the extension for tasks. */
export function requireTasks(of2026: RequestOf2026 | undefined, what: string): void {
  if (of2026?.takesTasks !== true) throw missingCapability(what, TASKS);
}

/** Refuses the call of a tool that needs what its client has not declared. */
export function requireCapabilities(
  tool: Pick<Tool, 'name' | 'needs'> | undefined,
  { of2026, delegation }: Pick<Call, 'of2026' | 'delegation'>,
): void {
  if (tool?.needs === 'tasks') requireTasks(of2026, tool.name);
  if (tool?.needs === 'sampling' && delegation?.takes.sampling !== true)
    throw missingCapability(tool.name, SAMPLING);
}

function missingCapability(what: string, requiredCapabilities: object): RpcError {
  const needs = JSON.stringify(requiredCapabilities);
  const message = `${what} needs a client whose capabilities have ${needs} (_meta["${CLIENT_CAPABILITIES_META_KEY}"]).`;
  return new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
}
