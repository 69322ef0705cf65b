import type { JsonObject } from '@baton/protocol';
import { type ContentBlock, ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js';

/** Each is validated by itself; with more than these, an answer has them in its data only. */
const MAX_BLOCKS = 100;

/**
 * The content blocks that an agent's answer brought, as they came, for the content of the reply that carries its
 * result (MCP, server/tools, Tool Result). What is no block of MCP would break clients: it stays in the data.
 */
export function contentBlocksOf(result: JsonObject | undefined): ContentBlock[] {
  const content = result?.['content'];
  if (!Array.isArray(content) || content.length > MAX_BLOCKS) return [];
  return content.filter((block) => ContentBlockSchema.safeParse(block).success) as unknown as ContentBlock[];
}
