import {
  type CallerFunction,
  parsePrompt,
  type PromptInput,
  promptNameSchema,
  promptSummaryOf,
} from '@baton/agent-definitions';
import { isRunByBaton } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import type { CallerSchemaValidator } from '@baton/runner';
import type { TenantStore } from '@baton/store';
import { z } from 'zod';
import { type DefinitionRoutes, versionFields } from './definition-routes.ts';
import { requireNameOfPath } from './name-of-path.ts';
import type { Tool } from '../../call/call.ts';

const summarySchema = z.object({
  name: z.string(),
  ...versionFields,
  title: z.string().optional(),
  description: z.string().optional(),
  public: z.boolean().describe('Whether it is an MCP prompt too'),
});

const bodySchema = z
  .looseObject({})
  .describe(
    'A prompt: name, text, system?, arguments?, parser?, exceptionHandler?, interruptHandler?, functions?, budgets?, hints?, public?, ' +
      '... (see docs/agents.md)',
  )
  .meta({ examples: [{ name: 'summarize', text: 'Summarize this in {sentences} sentences: {text}' }] });

/** What prompts are held against when they are put. */
export interface PromptContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly validator: CallerSchemaValidator;
}

/** A tenant's prompts: what a call of an agent begins with, and how its answer is read. */
export function promptRoutes({ tools, validator }: PromptContext): DefinitionRoutes {
  const around = { isRunByBaton, describeTool: (name: string) => describeTool(tools.get(name)) };
  return {
    plural: 'prompts',
    one: 'Prompt',
    key: 'name',
    keySchema: promptNameSchema,
    body: bodySchema,
    summarySchema,
    onDelete: 'calls of it go on with the version that they began with',
    registry: ({ prompts }) => prompts,
    async list({ prompts }, cursor) {
      const { items, ...next } = await prompts.page('promptRegistry', cursor);
      return {
        items: items.map(({ definition, ...stored }) => ({
          ...stored,
          ...(definition as { public: boolean }),
        })),
        ...next,
      };
    },
    async put(tenant, identity, name, sent, how) {
      const prompt = parsePrompt(sent, around);
      requireNameOfPath('name', name, prompt.name);
      await requireUsableSchemas(tenant, validator, prompt);
      return tenant.prompts.put(identity, name, {
        definition: prompt as unknown as JsonObject,
        summary: promptSummaryOf(prompt) as unknown as JsonObject,
        public: prompt.public,
        ...how,
      });
    },
  };
}

function describeTool(tool: Tool | undefined): CallerFunction | undefined {
  if (tool === undefined) return undefined;
  const { name, description, inputSchema } = tool.listing;
  return { name, description, parameters: inputSchema as unknown as JsonObject };
}

async function requireUsableSchemas(
  tenant: TenantStore,
  validator: CallerSchemaValidator,
  { parser, functions }: PromptInput,
): Promise<void> {
  if (parser.type === 'json') await validator.requireUsableSchema(tenant.id, parser.schema, 'parser.schema');
  for (const [at, one] of functions.entries()) {
    if (typeof one !== 'string')
      await validator.requireUsableSchema(tenant.id, one.parameters, `functions.${at}.parameters`);
  }
}
