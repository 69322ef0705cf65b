import type { Json } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, tag, taskId } from '../definition/shared-arguments.ts';
import { booleanOrText, integerOrDigits } from '../schema/coercion.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import { MAX_SUBTASKS_PER_ANSWER, listRemarks, remarkFields, remarksNote } from '../project/index.ts';
import { taskViewSchema } from '../views/task-view.ts';
import { splitTask } from './split-task.ts';
import { expandPromptText } from './prompt.ts';

/** How many subtasks; shared with `expand_all`. */
export const subtaskCountArgument = integerOrDigits(z.int().min(0).max(MAX_SUBTASKS_PER_ANSWER).optional())
  .optional()
  .describe(
    'About how many subtasks to make; 0 leaves it to the LLM. By default what the complexity report recommends, or else 3',
  );

const expandTaskInput = z.strictObject({
  id: taskId.describe('The task to split'),
  num: subtaskCountArgument,
  research,
  prompt: prompt.optional().describe('What to heed when the task is split'),
  force: booleanOrText(
    'Replace its pending subtasks instead of adding to them; those that are begun, done or set aside stay',
  ),
  tag,
  projectRoot,
});
type ExpandTaskInput = z.infer<typeof expandTaskInput>;

const expandTaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  id: z.string(),
  subtasksAdded: z.int(),
  subtaskIds: z.array(z.string()),
  subtasksReplaced: z.int(),
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  droppedDependencies: remarkFields.droppedDependencies,
  statusesIgnored: remarkFields.statusesIgnored,
  task: taskViewSchema,
});

/** Splits a task into subtasks. */
export const expandTaskOperation: ToolOperation<ExpandTaskInput, z.infer<typeof expandTaskResult>> = {
  name: 'expand_task',
  version: 1,
  title: 'Split a task into subtasks',
  category: 'task-management',
  changes: ['task'],
  description:
    'Splits one task into subtasks, as many as `num`, or as the complexity report recommends, or else 3. They are added ' +
    'to those that it has; `force` replaces those that are pending. The LLM call is delegated to you: answer it with agent_llm.',
  input: expandTaskInput,
  result: expandTaskResult,
  promptText: expandPromptText,
  nextSteps: ['Begin with next_task, which now offers subtasks once their task is in progress.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot, force }) => (force ? undefined : projectGrowth(projectRoot)),

  *run({ id, num, prompt, force = false, research = false, tag, projectRoot }) {
    const show = true;
    const done = yield* splitTask({ projectRoot, tag, id: Number(id), num, prompt, force, research, show });
    return {
      projectRoot,
      tag: done.tag,
      id: id,
      subtasksAdded: done.subtaskIds.length,
      subtaskIds: done.subtaskIds,
      subtasksReplaced: done.replaced,
      ...listRemarks(done),
      task: done.task as Json,
    };
  },

  summarize: ({ subtasksAdded, tag, subtaskIds, ...remarks }) =>
    `Added ${subtasksAdded} ${subtasksAdded === 1 ? 'subtask' : 'subtasks'} (${subtaskIds[0]} to ${subtaskIds.at(-1)}) in tag '${tag}'` +
    `${remarksNote(remarks)}.`,
};
