import { delimitJsonLines, delimitText } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import { projectSections } from '../project-context/context-sections.ts';
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
import type { ExpandContext } from './prompt-context.ts';

export const expandPromptText: PromptText = {
  version: 3,
  system: `You split one development task into subtasks.

Each subtask is a piece that one developer can take, finish and check before the next one begins.
- Together they do the whole task and nothing beyond it. No two of them do the same, and none repeats a subtask that is there or the work of another task.
- Order them so that each builds on earlier ones only. dependencies holds the numbers of the subtasks of this task that must be finished before, and no others. Never make a circle.
${TASK_TEXTS_RULE}
- status is pending.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE}

${JSON_ONLY_RULE}: { "subtasks": [ ... ] }.`,
  research: RESEARCH_RULE,
  request:
    'It holds the task with its subtasks so far, how many subtasks to make and where to number from, how the complexity report judged it and would split it, the words of the caller, the rules, tech stack and requirements of the project, the tasks that it rests on, the tasks most like it, those that wait for it, and what was done last, as far as the budget reaches.',
};

export function buildExpandMessages(
  context: ExpandContext,
  prompt: string | undefined,
  research: boolean,
): Message[] {
  return buildPromptMessages(expandPromptText, research, expandParts(context, prompt));
}

/** The parts of the user's message, each whole by itself. */
export function expandParts(
  { task, count, firstId, hint, judgement, ...known }: ExpandContext,
  prompt: string | undefined,
): (string | undefined)[] {
  const words = prompt === undefined ? undefined : delimitText('guidance', prompt);
  return [
    count === 0
      ? 'Make as many subtasks as the task needs.'
      : `Make about ${count} ${count === 1 ? 'subtask' : 'subtasks'}: somewhat more or fewer only if the task asks for it.`,
    `Number the subtasks from ${firstId}.`,
    words && `Whoever asks for it wants this to be heeded:\n${words.block}`,
    judgement && `An analysis judged this task:\n${delimitJsonLines('judgement', [judgement])}`,
    hint && `An analysis recommends to split it like this:\n${delimitJsonLines('recommendation', [hint])}`,
    ...projectSections(known),
    `The task:\n${delimitJsonLines('task', [task])}`,
  ];
}
