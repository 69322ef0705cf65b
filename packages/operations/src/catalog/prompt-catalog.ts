import { BatonError } from '@baton/protocol';
import { addTaskPromptText } from '../add-task/prompt.ts';
import { analyzePromptText } from '../analyze-project-complexity/prompt.ts';
import { operations } from './operation-catalog.ts';
import { expandPromptText } from '../expand-task/prompt.ts';
import { parsePrdPromptText } from '../parse-prd/prompt.ts';
import type { PromptText } from '../prompt-kit/prompt-text.ts';
import { updateTaskPromptText, updatePromptText } from '../update/prompt.ts';
import { notePromptText } from '../update-subtask/prompt.ts';

/** The fixed part of each operation's prompt, for people to read. */

const TEXTS: ReadonlyMap<string, PromptText> = new Map([
  ['parse_prd', parsePrdPromptText],
  ['analyze_project_complexity', analyzePromptText],
  ['expand_task', expandPromptText],
  ['expand_all', expandPromptText],
  ['update', updatePromptText],
  ['update_task', updateTaskPromptText],
  ['update_subtask', notePromptText],
  ['add_task', addTaskPromptText],
]);

export interface OperationPrompt extends PromptText {
  readonly operation: string;
  readonly title: string;
  readonly description: string;
}

/** The names of the operations that have a prompt, in their order. */
export const promptNames: readonly string[] = [...TEXTS.keys()];

/** @throws BatonError `invalid_arguments`, naming the operations that have one. */
export function operationPrompt(name: string): OperationPrompt {
  const text = TEXTS.get(name);
  const operation = operations.get(name);
  if (text !== undefined && operation !== undefined)
    return { operation: name, title: operation.title, description: operation.description, ...text };
  const known = promptNames.join(', ');
  throw new BatonError(
    'invalid_arguments',
    `operation: '${name.slice(0, 80)}' has no prompt; these have: ${known}.`,
    {
      field: 'operation',
    },
  );
}

/** What `baton://prompts/{operation}` shows, as Markdown. @throws BatonError as `operationPrompt`. */
export function promptMarkdown(name: string): string {
  const { operation, title, version, description, system, research, request } = operationPrompt(name);
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
