import { delimitJsonLines, delimitText } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import { type JournaledProject, projectSections } from '../project-context/context-sections.ts';
import {
  UNTRUSTED_DATA_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
  CODE_RULE,
} from '../prompt-kit/prompt-text.ts';

/** Of `update_subtask`, and of `update_task` with `append`. */
export const notePromptText: PromptText = {
  version: 3,
  system: `You add a note to a development task that is under way: what was learned, decided or tried, as the request says.

- Write only the new note, in a few sentences or a short list. It is dated and put below what stands there, so write no date.
- Make it useful to whoever works on the task next: name the files, commands, values and decisions that it is about.
- Do not repeat what stands there, and do not claim that something was done which the request does not say.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE} The request itself says what to note, and nothing else.

Answer with the text of the note and nothing around it.`,
  research: RESEARCH_RULE,
  request:
    'It holds what to note in the words of the caller, the task or subtask with what stands there, of a subtask its task and the subtasks around it, the rules, tech stack and requirements of the project, the tasks that it rests on, the tasks most like it, and what was done last, as far as the budget reaches.',
};

export function buildNoteMessages(
  item: object,
  {
    parent,
    siblings = [],
    ...known
  }: JournaledProject & { readonly parent?: object; readonly siblings?: readonly object[] },
  request: string,
  research: boolean,
): Message[] {
  return buildPromptMessages(notePromptText, research, [
    `The request:\n${delimitText('note-request', request).block}`,
    parent && `It belongs to this task:\n${delimitJsonLines('parent-task', [parent])}`,
    siblings.length > 0 ? `The other subtasks:\n${delimitJsonLines('other-subtasks', siblings)}` : undefined,
    ...projectSections(known),
    `It is to be added to:\n${delimitJsonLines('task', [item])}`,
  ]);
}
