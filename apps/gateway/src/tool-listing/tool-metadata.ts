import type { ToolCategory, ToolHints } from '@baton/operations';
import type { ObjectSchema } from './listed-schema.ts';

/** A tool as MCP lists it. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolHints & { readonly title: string };
  readonly execution: { readonly taskSupport: 'optional' | 'forbidden' };
  readonly _meta: ToolMetadata;
}

/** Seed 5, "Enhance Tool Metadata": what MCP's annotations have no place for. */
export type ToolMetadata = {
  readonly 'baton/category': ToolCategory;
  /** Whether a client does well to ask a person before: what the tool replaces or deletes does not come back. */
  readonly 'baton/requiresConfirmation': boolean;
  /** Whether its work may need an LLM, and so be answered with a request for one. */
  readonly 'baton/delegates': boolean;
  /**
   * Claude Code puts a longer result than 50,000 characters into a file, of which its model reads the beginning; a tool may say that it takes
   * more, up to this. A request for an LLM of which the end is missing is of no use.
   */
  readonly 'anthropic/maxResultSizeChars'?: typeof MAX_RESULT_SIZE_CHARS;
};

const MAX_RESULT_SIZE_CHARS = 500_000;

/** The metadata follow from what the tool says of itself, so that they never contradict its hints. */
export function toolMetadata(
  category: ToolCategory,
  hints: ToolHints,
  delegates: boolean,
  isLong = delegates,
): ToolMetadata {
  return {
    'baton/category': category,
    'baton/requiresConfirmation': hints.destructiveHint,
    'baton/delegates': delegates,
    ...(isLong ? { 'anthropic/maxResultSizeChars': MAX_RESULT_SIZE_CHARS } : {}),
  };
}
