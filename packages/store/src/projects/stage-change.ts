import type { Connection } from '../redis/connection.ts';
import { STAGE_CHANGE } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { partsOfChange, type ProjectChange } from './project-change.ts';

const NOTHING: ProjectChange = { set: [], delete: [] };

/**
 * Stages a large change under the key `staged`: first the fields that the project has at `version`, then what changes, each part by one
 * command. COMMIT puts all of it in the place of the project. Returns how many parts there are, or `conflict` where the
 * project has another version by now: nothing is staged any more then. What is never committed expires.
 */
export async function stageChange(
  connection: Connection,
  keys: { readonly project: string; readonly staged: string },
  version: string,
  change: ProjectChange,
): Promise<number | 'conflict'> {
  let parts = 0;
  const stage = async (cursor: string, { set, copy = [], delete: deleted }: ProjectChange) => {
    const reply = await runScript(
      { connection, keys },
      STAGE_CHANGE,
      keys,
      { version, part: ++parts, cursor, sets: set.length, copies: copy.length },
      { args: [...set.flat(), ...copy.flat(), ...deleted] },
    );
    const [code, next, copied] = reply as [string, string, number];
    return code === 'staged' ? { next, copied } : undefined;
  };

  let cursor = '0';
  do {
    const staged = version === '0' ? { next: '0' } : await stage(cursor, NOTHING);
    if (staged === undefined) return 'conflict';
    cursor = staged.next;
  } while (cursor !== '0');
  for (const part of partsOfChange(change)) {
    let left = part;
    do {
      const staged = await stage('', left);
      if (staged === undefined) return 'conflict';
      // Copies of long values are made a few at a time.
      left = { ...left, copy: (left.copy ?? []).slice(staged.copied) };
    } while ((left.copy ?? []).length > 0);
  }
  return parts;
}
