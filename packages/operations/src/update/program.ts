import { all, commitProject, generateObject, type Program, readProject } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, tag } from '../arguments.ts';
import { wholeNumber } from '../lenient.ts';
import { MODELS } from '../models.ts';
import type { Operation } from '../operation.ts';
import { type Command, type Project, requireProject, requireTag, resolveTag } from '../project/index.ts';
import { batchesOf, rulesOf, wholeTask } from '../prompting/excerpt.ts';
import { roleOf } from '../prompting/prompt-text.ts';
import { updateAnswer, withoutStrayStatus, withoutUnseen } from './answer.ts';
import { updatePrompt, updateText } from './prompt.ts';

const TASKS_AT_ONCE = 25;
const CHARACTERS_AT_ONCE = 40_000;

const updateInput = z.strictObject({
  from: wholeNumber(z.int().min(1)).describe(
    'The id of the first task that may change; all after it may too',
  ),
  prompt: prompt.describe('What changes, and why'),
  research,
  tag,
  projectRoot,
});
type UpdateInput = z.infer<typeof updateInput>;

const skipped = z.object({ id: z.int(), reason: z.enum(['gone', 'done']) });

const updateResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasksUpdated: z.int(),
  taskIds: z.array(z.int()),
  /** What was removed or done while the LLM was at work. */
  skipped: z.array(skipped),
  failed: z.array(z.object({ ids: z.array(z.int()), code: z.string(), message: z.string() })),
});

type Landed = { readonly updated: number[]; readonly skipped: z.infer<typeof skipped>[] };
type Failure = { readonly ids: number[]; readonly code: string; readonly message: string };
type Found = {
  readonly tag: string;
  readonly tasks: readonly ReturnType<typeof wholeTask>[];
  readonly rules?: string | undefined;
};

/**
 * Revises the tasks from one id on that are not done, in batches side by side. What is answered is in the project at
 * once; when some batches fail they are listed, and when all do the first failure is the task's.
 */
export const update: Operation<UpdateInput, z.infer<typeof updateResult>> = {
  name: 'update',
  version: 1,
  title: 'Revise upcoming tasks',
  description:
    'Revises every task with an id of at least `from` that is not done, as `prompt` says. Ids, statuses that nobody asks ' +
    'to change and subtasks that are done stay. For one task use update_task, for a subtask update_subtask. The LLM call ' +
    'is delegated to you: answer it with agent_llm.',
  input: updateInput,
  result: updateResult,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },

  *run({ from, prompt, research = false, projectRoot, ...input }) {
    const found: Found = yield* readProject(projectRoot, (project?: Project) => {
      const existing = requireProject(project, projectRoot);
      const tag = resolveTag(existing, input.tag);
      const tasks = requireTag(existing, tag).tasks.filter(
        ({ id, status }) => id >= from && status !== 'done' && status !== 'cancelled',
      );
      return { tag, tasks: tasks.map(wholeTask), rules: rulesOf(existing) };
    });
    const batches = batchesOf(found.tasks, TASKS_AT_ONCE, CHARACTERS_AT_ONCE);
    const only = batches.length === 1;
    const ends = yield* all(
      batches.map((batch) => () => {
        const work = () => revise(batch, found, prompt, projectRoot, research);
        return only ? work() : orFailure(work, batch);
      }),
    );
    const landed = ends.flatMap((end) => ('updated' in end ? [end] : []));
    const failed = ends.flatMap((end) => ('code' in end ? [end] : []));
    const [first] = failed;
    if (first !== undefined && landed.length === 0) throw BatonError.fromWire(first);
    const taskIds = landed.flatMap(({ updated }) => updated);
    return {
      projectRoot,
      tag: found.tag,
      tasksUpdated: taskIds.length,
      taskIds,
      skipped: landed.flatMap(({ skipped }) => skipped),
      failed,
    };
  },

  summarize: ({ tasksUpdated, tag, failed }) =>
    `Revised ${tasksUpdated} ${tasksUpdated === 1 ? 'task' : 'tasks'} of tag '${tag}'` +
    `${failed.length > 0 ? `; ${failed.flatMap(({ ids }) => ids).length} could not be revised` : ''}.`,
};

function* revise(
  batch: Found['tasks'],
  { tag, rules }: Found,
  request: string,
  projectRoot: string,
  research: boolean,
): Program<Landed> {
  const role = roleOf(research);
  const { tasks } = yield* generateObject({
    ...MODELS[role],
    role,
    messages: updatePrompt(updateText, request, batch, { rules }, research),
    summary: `Revise ${batch.length === 1 ? 'task' : `${batch.length} tasks from`} ${batch[0]?.id} on, tag '${tag}'`,
    schema: updateAnswer,
    objectName: 'updated_tasks',
  });
  const asked = new Map(batch.map((task) => [task.id, task]));
  const updates = tasks
    .filter(({ id }) => asked.has(id))
    .map((one) => withoutUnseen(withoutStrayStatus(one, request), asked.get(one.id)));
  if (updates.length === 0) return { updated: [], skipped: [] };
  return yield* commitProject<Landed>(projectRoot, {
    command: 'update_tasks',
    updates,
    tag,
  } satisfies Command as Json);
}

function* orFailure(work: () => Program<Landed>, batch: Found['tasks']): Program<Landed | Failure> {
  try {
    const { updated, skipped } = yield* work();
    return { updated, skipped };
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return { ids: batch.map(({ id }) => id), code: thrown.code, message: thrown.message.slice(0, 400) };
  }
}
