import { generateObject, type Program, readProject, type ReadLimits } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { z } from 'zod';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import {
  type GeneratedSubtask,
  type Remarks,
  type Project,
  statusesOfNewItems,
  MAX_SUBTASKS_PER_ANSWER,
  plannedSubtaskSchema,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { objectOrBareList } from '../schema/coercion.ts';
import { type ExpandContext, readExpandContext } from './prompt-context.ts';
import { buildExpandMessages } from './prompt.ts';

/** What the LLM is asked for when a task is split. */
const expandAnswerSchema = objectOrBareList(
  'subtasks',
  z.object({
    subtasks: z
      .array(plannedSubtaskSchema)
      .min(1, 'must hold at least one subtask')
      .max(MAX_SUBTASKS_PER_ANSWER),
  }),
);

export interface SplitRequest {
  readonly projectRoot: string;
  readonly tag: string | undefined;
  readonly id: number;
  readonly num: number | undefined;
  readonly prompt: string | undefined;
  readonly force: boolean;
  readonly research: boolean;
  /** Whether to give back the whole task. */
  readonly show: boolean;
}

/** The outcome of `add_subtasks` as it comes back from the journal, and what was ignored of the answer. */
export interface SplitResult extends Remarks {
  readonly tag: string;
  readonly id: number;
  readonly title: string;
  readonly subtaskIds: string[];
  readonly replaced: number;
  readonly task?: Json;
}

/** Splits one task: reads it, asks, commits. Errors: as `readExpandContext`, and those of the call and of the commit. */
export function* splitTask(expansion: SplitRequest): Program<SplitResult> {
  const { projectRoot, tag, id, num, prompt, force, research } = expansion;
  const material = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) =>
    readExpandContext(project, projectRoot, tag, { id, num, force }, limits),
  );
  const { subtasks } = yield* generateObject({
    ...parametersOfRole(research),
    messages: buildExpandMessages(material, prompt, research),
    summary: `Split task ${id}: ${excerpt(material.task.title, 80)}`,
    schema: expandAnswerSchema,
    objectName: 'subtasks_data',
  });
  return yield* commitSubtasks(expansion, material, subtasks);
}

/** Puts the subtasks of an answer into the task. Errors: those of the commit. */
export function* commitSubtasks(
  { projectRoot, id, force, show }: Pick<SplitRequest, 'projectRoot' | 'id' | 'force' | 'show'>,
  { tag, seen }: Pick<ExpandContext, 'tag' | 'seen'>,
  subtasks: GeneratedSubtask[],
): Program<SplitResult> {
  const split = yield* commitWhenThereIsRoom<SplitResult>(projectRoot, {
    command: 'add_subtasks',
    id,
    mode: force ? 'replace_pending' : 'append',
    subtasks,
    tag,
    seen,
    ...(show ? { show } : {}),
  });
  return { ...split, statusesIgnored: statusesOfNewItems(subtasks, split.subtaskIds) };
}
