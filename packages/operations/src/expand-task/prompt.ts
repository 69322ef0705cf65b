import type { Message } from '@baton/protocol';
import { rulesSection } from '../prompt-kit/rules-section.ts';
import { delimitJsonLines, delimitText } from '../prompt-kit/delimiters.ts';
import {
  UNTRUSTED_DATA_RULE,
  JSON_ONLY_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
} from '../prompt-kit/prompt-text.ts';
import type { ExpandContext } from './prompt-context.ts';

export const expandPromptText: PromptText = {
  version: 1,
  system: `You split one development task into subtasks.

Each subtask is a piece that one developer can take, finish and check before the next one begins.
- Together they do the whole task and nothing beyond it; no two of them do the same, and none repeats a subtask that is there.
- Order them so that each builds on earlier ones only. dependencies holds the numbers of the subtasks of this task that must be finished before, and no others. Never make a circle.
- title says what is to be done; description why and what for, in one or two sentences; details how: steps, interfaces, data, edge cases; testStrategy how someone else can tell that it works.
- status is pending.

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE}

${JSON_ONLY_RULE}: { "subtasks": [ ... ] }.`,
  research: RESEARCH_RULE,
  request:
    'The task with its subtasks so far, the tasks that it waits for, how many subtasks to make and where to number from, what the complexity report says of it, the words of the caller, and the rules of the project.',
};

export function buildExpandMessages(
  { task, count, firstId, needs, hint, rules }: ExpandContext,
  prompt: string | undefined,
  research: boolean,
): Message[] {
  const words = prompt === undefined ? undefined : delimitText('guidance', prompt);
  return buildPromptMessages(expandPromptText, research, [
    count === 0
      ? 'Make as many subtasks as the task needs.'
      : `Make about ${count} ${count === 1 ? 'subtask' : 'subtasks'}: somewhat more or fewer only if the task asks for it.`,
    `Number the subtasks from ${firstId}.`,
    words && `Whoever asks for it wants this to be heeded:\n${words.block}`,
    hint === undefined || hint === null
      ? undefined
      : `An analysis of this task recommends:\n${delimitJsonLines('recommendation', [hint])}`,
    needs.length > 0
      ? `It begins when these tasks are finished, so rely on them:\n${delimitJsonLines('finished-before', needs)}`
      : undefined,
    rulesSection(rules),
    `The task:\n${delimitJsonLines('task', [task])}`,
  ]);
}
