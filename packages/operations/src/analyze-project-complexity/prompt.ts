import type { Message } from '@baton/protocol';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { rulesSection } from '../prompt-kit/rules-section.ts';
import { delimitJsonLines } from '../prompt-kit/delimiters.ts';
import {
  UNTRUSTED_DATA_RULE,
  JSON_ONLY_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
} from '../prompt-kit/prompt-text.ts';
import type { Task } from '../project/index.ts';
import { definedFields } from '../schema/defined-fields.ts';

export const analyzePromptText: PromptText = {
  version: 1,
  system: `You judge how complex development tasks are, so that each is split into as many subtasks as it needs and no more.

For each task that you are given, give one entry:
- complexityScore from 1 (an hour of routine) to 10 (weeks, with unknowns): weigh unknowns, number of parts that must fit together, data and interfaces that change, risk and how hard it is to test.
- recommendedSubtasks: how many pieces one developer would finish one after the other; 0 where splitting would not help.
- expansionPrompt: one or two sentences on how to split exactly this task: which seams, what must not be forgotten.
- reasoning: one or two sentences on why this score.
Judge the tasks against each other: equal effort, equal score. A task that has subtasks already is judged as a whole.

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE}

${JSON_ONLY_RULE}: { "complexityAnalysis": [ ... ] }, one entry for every task, by its taskId.`,
  research: RESEARCH_RULE,
  request:
    'The tasks to judge, one per line and shortened, the ids to answer for, and the rules of the project.',
};

/** A task as far as its complexity shows; journaled, so it is kept small. */
export type TaskExcerpt = ReturnType<typeof taskExcerpt>;

export function taskExcerpt({ id, title, description, details, dependencies, subtasks, priority }: Task) {
  return {
    id,
    title: excerpt(title, 200) ?? '',
    ...definedFields({ description: excerpt(description, 300), details: excerpt(details, 500) }),
    priority,
    ...(dependencies.length > 0 ? { dependencies: dependencies.slice(0, 20) } : {}),
    ...(subtasks.length > 0 ? { subtasks: subtasks.length } : {}),
  };
}

export function buildAnalyzeMessages(
  tasks: readonly TaskExcerpt[],
  threshold: number,
  rules: string | null | undefined,
  research: boolean,
): Message[] {
  return buildPromptMessages(analyzePromptText, research, [
    `Judge these ${tasks.length === 1 ? 'one task' : `${tasks.length} tasks`}. Tasks that score ${threshold} or more will be split.`,
    `Answer for these ids: ${tasks.map(({ id }) => id).join(', ')}.`,
    rulesSection(rules),
    delimitJsonLines('tasks', tasks),
  ]);
}
