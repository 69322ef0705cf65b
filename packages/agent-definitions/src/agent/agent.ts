import { type JsonObject, textSchema } from '@baton/protocol';
import { z } from 'zod';
import { modelParameters, objectSchemaSchema } from '../definition/definition-parts.ts';

/** Bounds of one agent. Lengths are in characters. */
const MAX_INSTRUCTIONS = 32_768;
const MAX_GROUP = 50;
const MAX_EXTENSIONS = 20;

export const agentIdSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,47}$/,
    'must be 1 to 48 small letters, digits or "_", and begin with a letter: its tool is agent_<id>',
  );

/** An agent as it is put. What its state is, `enabled` and `isPrimary`, is left as it is where it is left out. */
export const agentSchema = z.strictObject({
  id: agentIdSchema,
  name: textSchema(200),
  instructions: textSchema(MAX_INSTRUCTIONS).describe('What its system message begins with'),
  personality: textSchema(4_000).optional().describe('How it speaks; stands behind the instructions'),
  description: textSchema(1_000).optional().describe('What its tool is for, as other models read it'),
  parameters: objectSchemaSchema
    .optional()
    .describe('The input schema of its tool; by default one field, `message`'),
  group: z
    .array(agentIdSchema)
    .max(MAX_GROUP)
    .refine((ids) => new Set(ids).size === ids.length, 'must name each agent once')
    .optional()
    .describe('The specialists that it may call; the primary may call all when it has none'),
  enabled: z.boolean().optional(),
  isPrimary: z.boolean().optional(),
  webSearchEnabled: z.boolean().default(false),
  timeoutMs: z
    .int()
    .min(1_000)
    .max(3_600_000)
    .optional()
    .describe(
      'Milliseconds for each of its answers, from when an agent was shown the request; 30,000 where another agent calls it',
    ),
  mcpExtensions: z
    .array(textSchema(200))
    .max(MAX_EXTENSIONS)
    .optional()
    .describe('MCP servers, as hints for whoever answers'),
  ...modelParameters,
});

/** An agent as it was put. */
export type AgentInput = z.infer<typeof agentSchema>;

/** An agent as it is. */
export interface AgentDefinition extends AgentInput {
  readonly enabled: boolean;
  readonly isPrimary: boolean;
  /** The number of its version. */
  readonly version: number;
}

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
