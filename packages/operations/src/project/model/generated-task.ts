import { z } from 'zod';
import { nullAsAbsent } from '../../schema/coercion.ts';
import { prioritySchema, statusSchema } from './status-and-priority.ts';
import { dependencySchema, isReadableDependency, taskNumberSchema } from './task-id.ts';
import { TASK_LIMITS } from './task.ts';

/** Limit of tasks in one answer. */
export const MAX_TASKS_PER_ANSWER = 500;
const MAX_NEW_DEPENDENCIES = 200;

/** Some models write long text as a list of lines. */
const textOrLines = <T extends z.ZodType>(inner: T) =>
  z.preprocess(
    (value) =>
      Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('\n') : value,
    inner,
  );
const text = (most: number) => textOrLines(z.string().max(most));
/** The LLM is asked for a text that is not empty; an empty one is read as none. */
const textThatSaysSomething = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() === '' ? null : value),
  nullAsAbsent(textOrLines(z.string().trim().min(1, 'must not be empty').max(TASK_LIMITS.detailsLength))),
);

/** Some models write dependencies as "1, 2", or as one number. */
const dependencies = z.preprocess((value) => {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return upToTheFirstWrong(value);
  if (typeof value !== 'string') return value;
  const parts = value.split(',').filter((part) => part.trim() !== '' && part.trim().toLowerCase() !== 'none');
  return upToTheFirstWrong(parts.map((part) => part.trim()));
}, z.array(dependencySchema).max(MAX_NEW_DEPENDENCIES));

/** Cut after the first wrong value, which is enough to ask again: reporting 200 wrong ones takes half a second. */
function upToTheFirstWrong(values: readonly unknown[]): unknown {
  if (values.length > MAX_NEW_DEPENDENCIES) return values;
  const wrong = values.findIndex((value) => !isReadableDependency(value));
  return wrong === -1 ? values : values.slice(0, wrong + 1);
}

/**
 * A task as an LLM writes it. Its id is a name within its answer, by which other tasks of the answer depend on it.
 * Spellings that models are known to use are accepted; any other value is refused, so that it is asked for again.
 */
export const generatedTaskSchema = z.object({
  id: taskNumberSchema.describe('A number for this task, unique in this answer'),
  title: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(TASK_LIMITS.titleLength)
    .describe('What is to be done, in one line'),
  description: text(TASK_LIMITS.descriptionLength).describe('What it is about, in one or two sentences'),
  details: nullAsAbsent(text(TASK_LIMITS.detailsLength)).describe(
    'How to do it: steps, interfaces, pitfalls',
  ),
  testStrategy: nullAsAbsent(text(TASK_LIMITS.detailsLength)).describe('How to know that it is done right'),
  priority: nullAsAbsent(prioritySchema),
  dependencies: nullAsAbsent(dependencies).describe('Ids of the tasks that must be done before this one'),
  status: nullAsAbsent(statusSchema),
});

/**
 * A task as a plan needs it: whoever takes it is told how to do it, and how to know that it is done. The schema that the LLM is
 * given requires both, and neither empty. An answer that lacks one is read all the same: agents of claude-task-master leave them out,
 * and asking again would cost the whole answer.
 */
export const plannedTaskSchema = generatedTaskSchema
  .extend({
    details: textThatSaysSomething.describe('How to do it: steps, interfaces, data, edge cases; never empty'),
    testStrategy: textThatSaysSomething.describe(
      'How someone else can tell that it works: what to do, and what has to come out; never empty',
    ),
  })
  .meta({ required: ['id', 'title', 'description', 'details', 'testStrategy'] });
export type GeneratedTask = z.infer<typeof generatedTaskSchema>;
