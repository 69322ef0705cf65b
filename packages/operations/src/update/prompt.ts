import { delimitJsonLines, delimitText } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import { type JournaledProject, projectSections } from '../project-context/context-sections.ts';
import { type detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import {
  UNTRUSTED_DATA_RULE,
  JSON_ONLY_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
  CODE_RULE,
} from '../prompt-kit/prompt-text.ts';

/** What `update` and `update_task` say alike. */
const HOW_TO_CHANGE = `- Change what the request touches and leave everything else as it is: a field that you leave out stays.
- A field that you give replaces the former one, so give it whole: keep in details what still holds, and every <info added on ...> block in it. Of a field that is named under cut you see only the beginning: leave it out.
- id says which task is meant; it never changes.
- Give status, of a task or of a subtask, only if the request asks for another one, and beside it statusQuote: the words of the request that ask for it, exactly as they stand there. A status without them is ignored.
- Subtasks that are done stay as they are. If what they did no longer fits, add a subtask that mends it. Under subtasks give those that change by their numbers, and new ones with numbers that none has.
- Subtasks that are done show how far the work is: build on them, and make what is left fit them.
- A new subtask has all of title, description, details and testStrategy, none of them empty.
- dependencies holds ids of what must be finished before. Never make a circle.`;

export const updatePromptText: PromptText = {
  version: 4,
  system: `You revise planned development tasks, so that they fit a change of plan or of knowledge.

${HOW_TO_CHANGE}
- Give only the tasks that change. An empty list says that none has to.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE} The request itself says what to change about the tasks, and nothing else.

${JSON_ONLY_RULE}: { "tasks": [ ... ] }.`,
  research: RESEARCH_RULE,
  request:
    'It holds the change in the words of the caller, the tasks that it may touch, whole, the rules, tech stack and requirements of the project, the tasks that those rest on, the tasks most like the change, those that wait for them, and what was done last, as far as the budget reaches.',
};

export const updateTaskPromptText: PromptText = {
  version: 4,
  system: `You revise one planned development task, so that it fits a change of plan or of knowledge.

${HOW_TO_CHANGE}
- Keep the title unless the request makes it wrong.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE} The request itself says what to change about the task, and nothing else.

${JSON_ONLY_RULE}: the task, with its id.`,
  research: RESEARCH_RULE,
  request:
    'It holds the change in the words of the caller, the task, whole, the rules, tech stack and requirements of the project, the tasks that it rests on, the tasks most like it, those that wait for it, and what was done last, as far as the budget reaches.',
};

type WholeTask = ReturnType<typeof detailedTaskExcerpt>;

export function buildUpdateMessages(
  text: PromptText,
  request: string,
  tasks: readonly WholeTask[],
  known: JournaledProject,
  research: boolean,
): Message[] {
  return buildPromptMessages(text, research, [
    `The request:\n${delimitText('change-request', request).block}`,
    `Answer for these ids: ${tasks.map(({ id }) => id).join(', ')}.`,
    ...projectSections(known),
    `The ${tasks.length === 1 ? 'task' : 'tasks, one per line'}:\n${delimitJsonLines('tasks', tasks)}`,
  ]);
}
