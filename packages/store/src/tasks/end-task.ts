import type { TenantKeys } from '../records/keys.ts';
import { taskIdFromRef } from '../records/keys.ts';

/** The workflow that a task is a step of, as a script that ends the task is told: its record, and what the task's own says of it. */
export interface ParentArgs {
  readonly key: string;
  readonly parent: string;
}

/** How often a task may be given to another workflow while it is being ended. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a script that ends the task behind `task`. Which workflow the task is a step of stands in its record alone, and scripts name their keys before
 * they run: one that met a workflow which it was not given wrote nothing, and runs again with that.
 */
export async function runEndingScript(
  keys: TenantKeys,
  task: string,
  known: string,
  run: (parent: ParentArgs) => Promise<unknown[]>,
): Promise<unknown[]> {
  let parent = known;
  for (let attempt = 1; ; attempt++) {
    const [ref = ''] = parent.split(' ');
    const reply = await run({ key: parent === '' ? task : keys.task(taskIdFromRef(ref)), parent });
    if (reply[0] !== 'parent' || attempt === MAX_ATTEMPTS) return reply;
    parent = String(reply[1]);
  }
}
