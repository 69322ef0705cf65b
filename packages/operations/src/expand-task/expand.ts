import { commitProject, generateObject, type Program, readProject } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { MODELS } from '../models.ts';
import type { Command, Project } from '../project/index.ts';
import { shortened } from '../prompting/excerpt.ts';
import { roleOf } from '../prompting/prompt-text.ts';
import { expandAnswer } from './answer.ts';
import { expandMaterial } from './material.ts';
import { expandPrompt } from './prompt.ts';

export interface Expansion {
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

/** The outcome of `add_subtasks` as it comes back from the journal. */
export interface Expanded {
  readonly tag: string;
  readonly id: number;
  readonly title: string;
  readonly subtaskIds: string[];
  readonly replaced: number;
  readonly task?: Json;
}

/** Splits one task: reads it, asks, commits. Errors: as `expandMaterial`, and those of the call and of the commit. */
export function* expand(expansion: Expansion): Program<Expanded> {
  const { projectRoot, tag, id, num, prompt, force, research, show } = expansion;
  const material = yield* readProject(projectRoot, (project?: Project) =>
    expandMaterial(project, projectRoot, tag, { id, num, force }),
  );
  const role = roleOf(research);
  const { subtasks } = yield* generateObject({
    ...MODELS[role],
    role,
    messages: expandPrompt(material, prompt, research),
    summary: `Split task ${id}: ${shortened(material.task.title, 80)}`,
    schema: expandAnswer,
    objectName: 'subtasks_data',
  });
  return yield* commitProject<Expanded>(projectRoot, {
    command: 'add_subtasks',
    id,
    mode: force ? 'replace' : 'append',
    subtasks,
    tag: material.tag,
    ...(show ? { show } : {}),
  } satisfies Command as Json);
}
