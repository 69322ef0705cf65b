import { isRecord, truncate } from '@baton/protocol';

/** One change of a file that is not as it should be: where, what is wrong, and what became of it. */
export interface FileRepair {
  /** As `master.tasks.3.subtasks.0.status`. */
  readonly place: string;
  readonly problem: string;
}

/** Characters of a value that a repair shows. */
const SHOWN = 80;
/** The beginning of a value's JSON. A value of a file may be as large as the file: no more of it is written down than is shown. */
export const shownValue = (value: unknown): string =>
  truncate(JSON.stringify(value, (_, part: unknown) => beginningOf(part)) ?? 'nothing', SHOWN);

function beginningOf(part: unknown): unknown {
  if (typeof part === 'string') return truncate(part, SHOWN);
  if (Array.isArray(part)) return part.slice(0, SHOWN);
  if (!isRecord(part)) return part;
  const fields: [string, unknown][] = [];
  for (const name in part) {
    if (fields.length === SHOWN) break;
    if (Object.hasOwn(part, name)) fields.push([name, part[name]]);
  }
  return Object.fromEntries(fields);
}
