import { generateObject, type Program, readProject, type ReadLimits } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { type ExpandContext, readExpandContext } from '../expand-task/prompt-context.ts';
import { commitSubtasks, type SplitRequest } from '../expand-task/split-task.ts';
import type { GeneratedSubtask, Project } from '../project/index.ts';
import { splitIntoBatches } from '../prompt-kit/split-into-batches.ts';
import { endedExpansion, type ExpansionEnd, failedExpansion } from './expansion-end.ts';
import { togetherAnswerSchema } from './together-answer.ts';
import { buildTogetherMessages } from './together-prompt.ts';

/** What is read of the tasks of one request may be so long, as JSON; a longer one has a request of its own. */
const MAX_READ_LENGTH = 60_000;

type Wish = Omit<SplitRequest, 'id'>;
type Read =
  | { readonly id: number; readonly material: ExpandContext }
  | { readonly id: number; readonly code: string; readonly message: string };

/**
 * Splits several tasks by as few requests as hold them. What an answer has is committed, task by task, and what it leaves out is asked for
 * again, alone; each answer has one of them at least. A task that cannot be split leaves the others alone.
 */
export function* expandTogether(wish: Wish, ids: readonly number[]): Program<ExpansionEnd[]> {
  const { projectRoot, tag } = wish;
  const reads = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) => {
    // The limit is that of the whole request.
    const each = { promptTokens: Math.floor(limits.promptTokens / ids.length) };
    return ids.map((id) =>
      readOne(id, () => readExpandContext(project, projectRoot, tag, { ...wish, id }, each)),
    );
  });
  const ends: ExpansionEnd[] = reads.flatMap((read) => ('code' in read ? [read] : []));
  const open = reads.flatMap((read) => ('material' in read ? [read] : []));
  for (const batch of splitIntoBatches(open, ids.length, MAX_READ_LENGTH)) {
    let missing: readonly { readonly id: number; readonly material: ExpandContext }[] = batch;
    while (missing.length > 0) {
      const answers = yield* askFor(
        missing.map(({ material }) => material),
        wish,
      );
      if (answers instanceof BatonError) {
        for (const { id } of missing) ends.push(failedExpansion(id, answers));
        break;
      }
      for (const { id, material } of missing) {
        const subtasks = answers.get(id);
        if (subtasks !== undefined) ends.push(yield* commitOne({ ...wish, id }, material, subtasks));
      }
      missing = missing.filter(({ id }) => !answers.has(id));
    }
  }
  const order = new Map(ids.map((id, at) => [id, at]));
  return ends.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}

/** A task that is gone or done by now is told as such; the others are read all the same. */
function readOne(id: number, read: () => ExpandContext): Read {
  try {
    return { id, material: read() };
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return failedExpansion(id, thrown);
  }
}

function* askFor(
  materials: readonly ExpandContext[],
  { prompt, research }: Wish,
): Program<ReadonlyMap<number, GeneratedSubtask[]> | BatonError> {
  const ids = materials.map(({ task }) => task.id);
  try {
    const { expansions } = yield* generateObject({
      ...parametersOfRole(research),
      messages: buildTogetherMessages(materials, prompt, research),
      summary: `Split tasks ${ids.join(', ')}`,
      schema: togetherAnswerSchema(ids),
      objectName: 'expansions_data',
    });
    return new Map(expansions.map(({ id, subtasks }) => [id, subtasks]));
  } catch (thrown) {
    // A refusal is these tasks' own; a bug of the program is everyone's.
    if (!(thrown instanceof BatonError)) throw thrown;
    return thrown;
  }
}

function* commitOne(
  split: SplitRequest,
  material: ExpandContext,
  subtasks: GeneratedSubtask[],
): Program<ExpansionEnd> {
  try {
    return endedExpansion(split.id, yield* commitSubtasks(split, material, subtasks));
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return failedExpansion(split.id, thrown);
  }
}
