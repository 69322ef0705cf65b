import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** What a tool gives back: structured data that fits its output schema, and a sentence for those who read text. */
export interface ToolReply {
  readonly text: string;
  readonly structured: object;
  /** The task that the reply is about, for the 2025 revisions' related-task metadata. */
  readonly taskId?: string | undefined;
  /** True when the structured data belongs into the text too: the reply asks something of a client that reads only text. */
  readonly textIncludesJson?: boolean;
  /** Content blocks of an agent's answer, after the text. */
  readonly blocks?: readonly ContentBlock[];
}
