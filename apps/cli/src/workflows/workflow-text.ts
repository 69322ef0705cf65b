import type { GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import type { StoredWorkflow } from './workflow-client.ts';

/** Rows as columns of equal width; the last one is as wide as it is. */
export function tableText(rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  return texts
    .map((row) =>
      row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '),
    )
    .join('\n');
}

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

export function historyText(versions: readonly StoredWorkflow[]): string {
  return tableText([
    ['version', 'stored at', 'steps', 'tasks', 'by'],
    ...versions.map(({ version, storedAt, storedBy, definition, tasks = [] }) => [
      version,
      storedAt,
      definition.steps.length,
      tasks.length,
      storedBy,
    ]),
  ]);
}
