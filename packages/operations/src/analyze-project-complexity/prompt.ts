import { delimitJsonLines } from '@baton/agent-definitions';
import type { Message } from '@baton/protocol';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { type JournaledProject, projectSections } from '../project-context/context-sections.ts';
import {
  UNTRUSTED_DATA_RULE,
  JSON_ONLY_RULE,
  LANGUAGE_RULE,
  buildPromptMessages,
  type PromptText,
  RESEARCH_RULE,
  CODE_RULE,
} from '../prompt-kit/prompt-text.ts';
import type { Task } from '../project/index.ts';
import { definedFields } from '../schema/defined-fields.ts';

export const analyzePromptText: PromptText = {
  version: 3,
  system: `You judge how complex development tasks are, so that each is split into as many subtasks as it needs and no more.

For each task that you are given, give one entry:
- complexityScore goes from 1 (an hour of routine) to 10 (weeks, with unknowns). Weigh what is unknown, how many parts must fit together, which data and interfaces change, what is at risk and how hard it is to test.
- recommendedSubtasks says into how many pieces one developer would split it to finish them one after the other; it is 0 where splitting would not help.
- expansionPrompt says in one or two sentences how to split exactly this task: where its seams are, and what must not be forgotten.
- reasoning says in one or two sentences why the task has this score.
Judge the tasks against each other: equal effort has an equal score. Judge a task that has subtasks already as a whole. Count what is done already, and what tasks that it rests on provide, as effort that is saved.

${CODE_RULE}

${LANGUAGE_RULE}

${UNTRUSTED_DATA_RULE}

${JSON_ONLY_RULE}: { "complexityAnalysis": [ ... ] }, one entry for every task, by its taskId.`,
  research: RESEARCH_RULE,
  request:
    'It holds the tasks to judge, one per line, the ids to answer for, the rules, tech stack and requirements of the project, the tasks that those rest on, which tasks wait for them, and what was done last, as far as the budget reaches.',
};

/** A task as far as its complexity shows; journaled, so it is kept small. */
export type TaskExcerpt = ReturnType<typeof taskExcerpt>;

export function taskExcerpt({ id, title, status, priority, dependencies, subtasks, ...texts }: Task) {
  return {
    id,
    title: excerpt(title, 200) ?? '',
    status,
    ...definedFields({
      description: excerpt(texts.description, 1_000),
      details: excerpt(texts.details, 2_000),
      testStrategy: excerpt(texts.testStrategy, 500),
    }),
    priority,
    ...(dependencies.length > 0 ? { dependencies: dependencies.slice(0, 20) } : {}),
    ...(subtasks.length > 0 ? { subtasks: subtasks.slice(0, MOST_SUBTASKS).map(subtaskLine) } : {}),
  };
}

const MOST_SUBTASKS = 20;

function subtaskLine({ id, title, status }: Task['subtasks'][number]): string {
  return `${id}. ${excerpt(title, 80) ?? ''} (${status})`;
}

export function buildAnalyzeMessages(
  tasks: readonly TaskExcerpt[],
  threshold: number,
  known: JournaledProject,
  research: boolean,
): Message[] {
  return buildPromptMessages(analyzePromptText, research, [
    `${tasks.length === 1 ? 'Judge this task' : `Judge these ${tasks.length} tasks`}. Tasks that score ${threshold} or more will be split.`,
    `Answer for these ids: ${tasks.map(({ id }) => id).join(', ')}.`,
    ...projectSections(known),
    `The ${tasks.length === 1 ? 'task' : 'tasks, one per line'}:\n${delimitJsonLines('tasks', tasks)}`,
  ]);
}
