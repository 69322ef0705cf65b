import { isRecord } from '@baton/protocol';
import { operations } from './operation-catalog.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { operationPrompt } from './prompt-catalog.ts';

/** What people may want to do after an operation. */
const NEXT_STEPS: Readonly<Record<string, readonly string[]>> = {
  parse_prd: [
    'Read the tasks with get_tasks and correct what was misunderstood with update_task.',
    'Find out which tasks are too large with analyze_project_complexity, and split them with expand_all.',
  ],
  analyze_project_complexity: [
    'Read the reasons with complexity_report.',
    'Split the tasks with expand_all, or one of them with expand_task.',
  ],
  expand_task: ['Begin with next_task, which now offers subtasks once their task is in progress.'],
  expand_all: ['See what failed, if anything did, and call expand_task for it.', 'Begin with next_task.'],
  update: ['Read what changed with get_tasks.', 'Go on with next_task.'],
  update_task: ['Read the task with get_task.', 'If it grew, split it with expand_task.'],
  update_subtask: ['Go on with the subtask, and set its status with set_task_status when it is done.'],
  add_task: ['If it is large, split it with expand_task.', 'Connect it with others by add_dependency.'],
};

const MOST_FIELDS = 40;
const MOST_SHOWN = 500;

/**
 * The text for people that results do not carry: what an operation does, what is known of this one from its arguments
 * or its result, and what may come next. What is shown of the context is data, and is shown as such.
 *
 * @throws BatonError `invalid_arguments` for an operation that has no prompt.
 */
export function formatOperationGuide(name: string, context: Readonly<Record<string, unknown>>): string {
  const { title, description } = operationPrompt(name);
  const result = operations.get(name)?.result.safeParse(context);
  const happened = result?.success ? operations.get(name)?.summarize(result.data) : undefined;
  const facts = Object.entries(context)
    .filter(([field]) => field !== 'status' && field !== 'operation')
    .slice(0, MOST_FIELDS)
    .map(([field, value]) => `- **${field}**: ${inline(value)}`);
  return [
    `# ${title}`,
    happened ?? description,
    ...(facts.length > 0 ? ['## What is known', facts.join('\n')] : []),
    '## What may come next',
    (NEXT_STEPS[name] ?? []).map((step) => `- ${step}`).join('\n'),
    '',
  ].join('\n\n');
}

/** A value on one line, as code, so that no Markdown in it takes effect. */
function inline(value: unknown): string {
  if (Array.isArray(value) && value.length > 5) return `${value.length} entries`;
  const text =
    typeof value === 'string'
      ? value
      : isRecord(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);
  const line = excerpt(text.replaceAll(/\s+/g, ' ').replaceAll('`', "'"), MOST_SHOWN) ?? '';
  return `\`${line}\``;
}
