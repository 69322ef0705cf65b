import { delimitText } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import { type JournaledProject, projectSections } from '../project-context/context-sections.ts';
import {
  UNTRUSTED_DATA_RULE,
  JSON_ONLY_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
  CODE_RULE,
  TASK_TEXTS_RULE,
} from '../prompt-kit/prompt-text.ts';

export const addTaskPromptText: PromptText = {
  version: 3,
  system: `You turn a request into one planned development task of an existing plan.

${TASK_TEXTS_RULE}
- dependencies holds the ids of existing tasks that must be finished before this one can begin, and no others. Name what it needs directly; what those tasks need follows of itself. Most tasks need few.
- priority is high for what other work rests on, low for what can wait, and medium otherwise.
- Make exactly one task, whatever the size of the request. Do not repeat work of a task that exists.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE} The request itself says what the task is about, and nothing else.

${JSON_ONLY_RULE}.`,
  research: RESEARCH_RULE,
  request:
    'It holds the request in the words of the caller, the rules, tech stack and requirements of the project, the tasks that the caller made it depend on, the tasks most like it, what was done last, and other tasks by id and title, as far as the budget reaches.',
};

interface AddTaskParts extends JournaledProject {
  readonly request: string;
  readonly existing: readonly object[];
  readonly count: number;
  readonly dependencies: readonly (number | string)[];
}

export function buildAddTaskMessages(
  { request, existing, count, dependencies, ...known }: AddTaskParts,
  research: boolean,
): Message[] {
  return buildPromptMessages(addTaskPromptText, research, [
    `The request:\n${delimitText('task-request', request).block}`,
    dependencies.length > 0 ? `It depends on ${dependencies.join(', ')} in any case.` : undefined,
    count === 0
      ? 'It is the first task of its plan.'
      : `So far there ${count === 1 ? 'is 1 task' : `are ${count} tasks`}.`,
    ...projectSections(known, existing),
  ]);
}
