/** The fields that a command writes, copies and deletes. */
export interface ProjectChange {
  readonly set: readonly (readonly [field: string, value: string])[];
  /** `to` is given the value that `from` had before. */
  readonly copy?: readonly (readonly [from: string, to: string])[];
  readonly delete: readonly string[];
  /** Written by one command, however large it is: others would change the project before it was staged. */
  readonly atOnce?: boolean;
}

/** A change of more fields, or that sets more characters, is staged: to write it at once would hold Redis for milliseconds. */
const MOST_FIELDS_AT_ONCE = 200;
const MOST_LENGTH_AT_ONCE = 262_144;

/** A change that deletes fields, and writes at most so many characters, is taken for one that makes room. */
const MOST_SET_BY_DELETION = 131_072;

/** How many fields a change touches. */
export function fieldCount({ set, copy = [], delete: deleted }: ProjectChange): number {
  return set.length + copy.length + deleted.length;
}

export function isDeletion({ set, copy = [], delete: deleted }: ProjectChange): boolean {
  if (deleted.length === 0 || copy.length > 0) return false;
  return setLength(set) <= MOST_SET_BY_DELETION;
}

/** What makes room is never staged, since that takes room. */
export function needsStaging(change: ProjectChange): boolean {
  if (change.atOnce === true || isDeletion(change)) return false;
  return fieldCount(change) > MOST_FIELDS_AT_ONCE || setLength(change.set) > MOST_LENGTH_AT_ONCE;
}

/** Of the fields that a change touches, what stands before the first colon of their names. */
export function fieldKinds({ set, copy = [], delete: deleted }: ProjectChange): ReadonlySet<string> {
  const kinds = new Set<string>();
  const add = (field: string) => void kinds.add(field.split(':', 1)[0] ?? '');
  for (const [field] of set) add(field);
  for (const [, to] of copy) add(to);
  for (const field of deleted) add(field);
  return kinds;
}

/** A change in parts, each of which one command stages. */
export function* partsOfChange({ set, copy = [], delete: deleted }: ProjectChange): Generator<ProjectChange> {
  let part: [string, string][] = [];
  let length = 0;
  for (const one of set) {
    part.push([one[0], one[1]]);
    length += one[1].length;
    if (part.length < MOST_FIELDS_AT_ONCE && length < MOST_LENGTH_AT_ONCE) continue;
    yield { set: part, delete: [] };
    part = [];
    length = 0;
  }
  if (part.length > 0) yield { set: part, delete: [] };
  for (let at = 0; at < copy.length; at += MOST_FIELDS_AT_ONCE)
    yield { set: [], copy: copy.slice(at, at + MOST_FIELDS_AT_ONCE), delete: [] };
  for (let at = 0; at < deleted.length; at += MOST_FIELDS_AT_ONCE)
    yield { set: [], delete: deleted.slice(at, at + MOST_FIELDS_AT_ONCE) };
}

function setLength(set: ProjectChange['set']): number {
  return set.reduce((sum, [, value]) => sum + value.length, 0);
}
