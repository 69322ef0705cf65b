import type { JsonObject } from '@baton/protocol';

/** A message as MCP's prompts have it (2025-11-25, server/prompts: PromptMessage). */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'resource'; readonly resource: JsonObject };
}

export const userText = (text: string): PromptMessage => ({ role: 'user', content: { type: 'text', text } });
export const assistantText = (text: string): PromptMessage => ({
  role: 'assistant',
  content: { type: 'text', text },
});
export const userResource = (resource: JsonObject): PromptMessage => ({
  role: 'user',
  content: { type: 'resource', resource },
});
