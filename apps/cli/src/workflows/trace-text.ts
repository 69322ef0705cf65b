import type { GetPromptResult } from '@modelcontextprotocol/sdk/types.js';

/** A run as a conversation, and how its task stands. */
export function traceText({ messages, _meta = {} }: GetPromptResult): string {
  const said = messages.map(({ role, content }) => {
    const lines = contentText(content).split('\n');
    return [`${role}:`, ...lines.map((line) => `  ${line}`.trimEnd())].join('\n');
  });
  return [...said, `Task ${String(_meta['task_id'])} is ${String(_meta['task_status'])}.`].join('\n\n');
}

function contentText(content: GetPromptResult['messages'][number]['content']): string {
  if (content.type === 'text') return content.text;
  if (content.type !== 'resource') return `(${content.type})`;
  const { resource } = content;
  return `${resource.uri}\n${'text' in resource ? resource.text : '(bytes)'}`;
}
