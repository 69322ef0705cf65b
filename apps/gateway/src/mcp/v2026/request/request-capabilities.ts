import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { SAMPLING, TASKS } from '../../../call/dialect-choice.ts';
import type { Call, Tool } from '../../../call/call.ts';
import type { RequestOf2026 } from '../../../call/request-of-2026.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { MISSING_CAPABILITY } from './revision.ts';

/** Refuses what needs the extension for tasks. */
export function requireTasks(of2026: RequestOf2026 | undefined, what: string): void {
  if (of2026?.takesTasks !== true) throw missingCapability(what, TASKS);
}

/** Refuses the call of a tool that needs what its client has not declared. */
export function requireCapabilities(
  tool: Pick<Tool, 'name' | 'needs'> | undefined,
  { of2026, dialectChoice }: Pick<Call, 'of2026' | 'dialectChoice'>,
): void {
  if (tool?.needs === 'tasks') requireTasks(of2026, tool.name);
  if (tool?.needs === 'sampling' && dialectChoice?.supports.sampling !== true)
    throw missingCapability(tool.name, SAMPLING);
}

function missingCapability(what: string, requiredCapabilities: object): RpcError {
  const needs = JSON.stringify(requiredCapabilities);
  const message = `${what} needs a client whose capabilities have ${needs} (_meta["${CLIENT_CAPABILITIES_META_KEY}"]).`;
  return new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
}
