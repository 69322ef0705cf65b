import { z } from 'zod';
import { textSchema } from '@baton/protocol';

const MAX_SERVERS = 20;

const mcpServerSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "-" or "."'),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  allowedTools: z.array(textSchema(128)).max(100).optional(),
});

/** What the request says of the model's own tools: whoever makes the LLM call passes them on as the endpoint's API has them. */
export const hintsSchema = z.strictObject({
  webSearch: z.boolean().optional(),
  computerUse: z
    .strictObject({
      displayWidth: z.int().min(1).max(100_000),
      displayHeight: z.int().min(1).max(100_000),
      environment: z.enum(['browser', 'mac', 'windows', 'ubuntu', 'linux']).default('browser'),
    })
    .optional(),
  mcpServers: z
    .array(mcpServerSchema)
    .max(MAX_SERVERS)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'must name each server once')
    .optional(),
  api: z
    .enum(['chat.completions', 'responses'])
    .optional()
    .describe("Which of OpenAI's two shapes the request needs"),
});

export type Hints = z.infer<typeof hintsSchema>;
