import type { Message } from '@baton/protocol';
import { expandParts, expandPromptText } from '../expand-task/prompt.ts';
import type { ExpandContext } from '../expand-task/prompt-context.ts';
import { buildPromptMessages } from '../prompt-kit/prompt-text.ts';

const FORM =
  'This request holds several tasks, each under a heading with its id. The object that you answer with is therefore ' +
  '{ "expansions": [ { "id": <the id of the task>, "subtasks": [ ... ] }, ... ] }, with one entry for each task; what is said above of ' +
  'subtasks and their numbers holds within each entry.';

const togetherPromptText = { ...expandPromptText, system: `${expandPromptText.system}\n\n${FORM}` };

/**
 * The request that splits several tasks: what expand_task would ask of each, under a heading of its own. What it would say in all of them
 * (the rules of the project, the words of the caller) stands once, before them.
 */
export function buildTogetherMessages(
  contexts: readonly ExpandContext[],
  prompt: string | undefined,
  research: boolean,
): Message[] {
  const parts = contexts.map((context) => expandParts(context, prompt));
  const [first = []] = parts;
  const isShared = (part: string | undefined) => parts.every((others) => others.includes(part));
  const ids = contexts.map(({ task }) => task.id);
  return buildPromptMessages(togetherPromptText, research, [
    `Split each of these tasks as if it stood alone. Give one entry for these ids: ${ids.join(', ')}.`,
    ...first.filter(isShared),
    ...parts.flatMap((own, at) => [`# Task ${ids[at]}`, ...own.filter((part) => !isShared(part))]),
  ]);
}
