import { z } from 'zod';
import { STATUSES, type Status } from './status-and-priority.ts';

/**
 * A status that an answer gives and that is not taken. `new`: tasks and subtasks begin pending. `done`: done work stays
 * done. `not_requested`: the answer does not quote words of the request that ask for it.
 */
const ignoredStatusSchema = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  reason: z.enum(['new', 'done', 'not_requested']),
});
export type IgnoredStatus = Readonly<z.infer<typeof ignoredStatusSchema>>;

/** The texts of which a request may show only the beginning. */
export const CUT_FIELDS = ['description', 'details', 'testStrategy'] as const;

/** A text of an answer that is not taken: the LLM saw only its beginning, and the rest would be lost. */
const ignoredTextSchema = z.object({ id: z.string(), field: z.enum(CUT_FIELDS) });
export type IgnoredText = Readonly<z.infer<typeof ignoredTextSchema>>;

/** A subtask of an answer that is not changed: it was removed (`gone`) or done while the LLM was at work, or was done before. */
const skippedSubtaskSchema = z.object({ id: z.string(), reason: z.enum(['gone', 'done']) });
export type SkippedSubtask = Readonly<z.infer<typeof skippedSubtaskSchema>>;

/** What a result remarks beside what it did: what of an answer was not taken, and what went with what was removed. */
export interface Remarks {
  readonly statusesIgnored?: readonly IgnoredStatus[] | undefined;
  readonly textsIgnored?: readonly IgnoredText[] | undefined;
  readonly subtasksSkipped?: readonly SkippedSubtask[] | undefined;
  /** Such as "5 → 3". */
  readonly dependenciesIgnored?: readonly string[] | undefined;
  readonly droppedDependencies?: readonly string[] | undefined;
}

/** Limit of the entries of each remark: a hostile answer must not make a result too large for clients. */
export const MAX_LISTED = 200;

/** The fields of a result's schema; each is absent where there is nothing to remark. */
export const remarkFields = {
  statusesIgnored: z
    .array(ignoredStatusSchema)
    .optional()
    .describe('Statuses of the answer that were not taken, the first 200'),
  textsIgnored: z
    .array(ignoredTextSchema)
    .optional()
    .describe('Texts of the answer that were not taken, since the request showed only their beginning'),
  subtasksSkipped: z
    .array(skippedSubtaskSchema)
    .optional()
    .describe('Subtasks that the answer changes and that were removed or are done, the first 200'),
  dependenciesIgnored: z
    .array(z.string())
    .optional()
    .describe('Dependencies of the answer that were not taken ("5 → 3"): on nothing, or in a circle'),
  droppedDependencies: z
    .array(z.string())
    .optional()
    .describe('Dependencies ("5 → 3.1") of what stays on what was removed, the first 200'),
};

/** The fields of a result, of all that there is to remark. */
export function listRemarks(...all: readonly (Remarks | undefined)[]): {
  statusesIgnored?: IgnoredStatus[];
  textsIgnored?: IgnoredText[];
  subtasksSkipped?: SkippedSubtask[];
  dependenciesIgnored?: string[];
  droppedDependencies?: string[];
} {
  const names = Object.keys(remarkFields) as (keyof Remarks)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const entries = all
        .flatMap((remarks): readonly unknown[] => remarks?.[name] ?? [])
        .slice(0, MAX_LISTED);
      return entries.length === 0 ? [] : [[name, entries]];
    }),
  );
}

/** For summaries: the sentence's end where there is anything to remark. */
export function remarksNote({
  statusesIgnored = [],
  textsIgnored = [],
  subtasksSkipped = [],
  dependenciesIgnored = [],
  droppedDependencies = [],
}: Remarks): string {
  const say = (what: string, entries: readonly string[]) =>
    entries.length === 0 ? '' : `; ${what} ${entries.join(', ')}`;
  return (
    say('dropped the dependencies', droppedDependencies) +
    say('ignored the dependencies', dependenciesIgnored) +
    say(
      'left as they are the subtasks',
      subtasksSkipped.map(({ id, reason }) => `${id} (${reason})`),
    ) +
    say(
      'ignored, since the request showed only its beginning:',
      textsIgnored.map(({ id, field }) => `${field} of ${id}`),
    ) +
    say(
      'ignored the statuses that the answer gave for',
      statusesIgnored.map(({ id }) => id),
    )
  );
}

/** What is ignored of new items, which were numbered `ids` in their order. */
export function statusesOfNewItems(
  items: readonly { readonly status?: Status | undefined }[],
  ids: readonly (string | number)[],
): IgnoredStatus[] {
  return items.flatMap(({ status }, at): IgnoredStatus[] =>
    status === undefined || status === 'pending' ? [] : [{ id: `${ids[at]}`, status, reason: 'new' }],
  );
}
