import type { JsonObject } from '@baton/protocol';
import type { AgentDefinition, AgentInput } from './agent.ts';

/** What of an agent is a version: all but its state. */
export function versionOf({ enabled: _enabled, isPrimary: _isPrimary, ...version }: AgentInput): JsonObject {
  return version as JsonObject;
}

/** An agent of a version of it and its state. */
export function toAgentDefinition(
  { version, definition }: { readonly version: number; readonly definition: JsonObject },
  { enabled, isPrimary }: { readonly enabled: boolean; readonly isPrimary: boolean },
): AgentDefinition {
  return { ...(definition as unknown as AgentInput), enabled, isPrimary, version };
}
