import { z } from 'zod';
import { objectOrBareList, nullAsAbsent, parseDigits } from '../schema/coercion.ts';
import {
  type TaskAnalysis,
  DEFAULT_COMPLEXITY_SCORE,
  DEFAULT_SUBTASK_COUNT,
  MAX_RECOMMENDED_SUBTASKS,
  generatedTaskSchema,
} from '../project/index.ts';

const MAX_ENTRIES = 500;
const text = nullAsAbsent(z.string().max(4_000));

/** A number as models write one: 7.4, "7", 12 for the highest. */
const within = (least: number, most: number) =>
  z.preprocess((value) => {
    const number = parseDigits(value);
    return typeof number === 'number' ? Math.min(most, Math.max(least, Math.round(number))) : number;
  }, z.int().min(least).max(most));

/** What is judged of a task. */
export const complexityFields = {
  complexityScore: within(1, 10).describe('1 (an hour of routine) to 10 (weeks, with unknowns)'),
  recommendedSubtasks: nullAsAbsent(within(0, MAX_RECOMMENDED_SUBTASKS)),
  expansionPrompt: text,
  reasoning: text,
};

export const analyzeAnswerSchema = objectOrBareList(
  'complexityAnalysis',
  z.object({
    complexityAnalysis: z
      .array(
        z.object({
          taskId: generatedTaskSchema.shape.id.describe('The id of the task'),
          ...complexityFields,
        }),
      )
      .max(MAX_ENTRIES),
  }),
);

type Judged = z.infer<typeof analyzeAnswerSchema>['complexityAnalysis'][number];

/** One entry for every task that was asked about, and for no other; `isDefault` of those that the answer left out. */
export function toOneAnalysisPerTask(
  asked: readonly { readonly id: number; readonly title: string }[],
  given: readonly Judged[],
): (TaskAnalysis & { readonly isDefault?: true })[] {
  // The first of two entries for one task counts.
  const byId = new Map([...given].reverse().map((entry) => [entry.taskId, entry]));
  return asked.map(({ id, title }) => {
    const entry = byId.get(id);
    return {
      taskId: id,
      taskTitle: title,
      complexityScore: entry?.complexityScore ?? DEFAULT_COMPLEXITY_SCORE,
      recommendedSubtasks: entry?.recommendedSubtasks ?? DEFAULT_SUBTASK_COUNT,
      expansionPrompt: entry?.expansionPrompt ?? '',
      reasoning:
        entry?.reasoning ?? (entry ? '' : 'The analysis left this task out; these are the defaults.'),
      ...(entry === undefined ? { isDefault: true as const } : {}),
    };
  });
}
