import type { AttachableBlock } from '@baton/protocol';

/** `attachments` of a command that carries an answer; left out where the answer brought nothing beside words. */
export function attachmentsField(content: readonly AttachableBlock[]): { attachments?: AttachableBlock[] } {
  return content.length === 0 ? {} : { attachments: [...content] };
}
