import { BatonError } from '@baton/protocol';
import type { PromptText } from '../prompt-kit/prompt-text.ts';
import { toolOperations } from './operation-catalog.ts';

/** The fixed part of an operation's prompt, for people to read. */
export interface OperationPrompt extends PromptText {
  readonly operation: string;
  readonly title: string;
  readonly description: string;
}

/** The names of the operations that have a prompt, in their order. */
export const promptNames: readonly string[] = [...toolOperations.keys()];

/** @throws BatonError `invalid_arguments`, naming the operations that have one. */
export function requireOperationPrompt(name: string): OperationPrompt {
  const operation = toolOperations.get(name);
  if (operation !== undefined) {
    const { title, description, promptText } = operation;
    return { operation: name, title, description, ...promptText };
  }
  const known = promptNames.join(', ');
  throw new BatonError(
    'invalid_arguments',
    `operation: '${name.slice(0, 80)}' has no prompt; these have: ${known}.`,
    {
      field: 'operation',
    },
  );
}

/** What `baton://prompts/{operation}` shows, as Markdown. @throws BatonError as `requireOperationPrompt`. */
export function promptMarkdown(name: string): string {
  const { operation, title, version, description, system, research, request } = requireOperationPrompt(name);
  return [
    `# ${title} (\`${operation}\`, prompt version ${version})`,
    description,
    '## What the LLM is told',
    system,
    '## What is said beside with `research`',
    research,
    '## What the request holds',
    request,
    '',
  ].join('\n\n');
}
