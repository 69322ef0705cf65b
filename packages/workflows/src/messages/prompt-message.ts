import type { JsonObject } from '@baton/protocol';

/** A message as MCP's prompts have it (2025-11-25, server/prompts: PromptMessage). */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: JsonObject };
}

export const userText = (text: string): PromptMessage => ({ role: 'user', content: { type: 'text', text } });
export const assistantText = (text: string): PromptMessage => ({
  role: 'assistant',
  content: { type: 'text', text },
});

/** A resource that was read; a picture or a sound is shown as one, since a model takes it so. */
export function userResource(resource: JsonObject): PromptMessage {
  const { blob, mimeType } = resource;
  if (typeof blob === 'string' && typeof mimeType === 'string') {
    const [type] = mimeType.split('/');
    if (type === 'image' || type === 'audio')
      return { role: 'user', content: { type, data: blob, mimeType } };
  }
  return { role: 'user', content: { type: 'resource', resource } };
}
