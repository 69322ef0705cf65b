import { isRecord } from '@baton/protocol';
import { DEFAULT_TAG, tagNameSchema } from '../model/project.ts';
import type { FileRepair } from './file-repair.ts';

/** Characters of a name in a file that are the beginning of the tag's name, which has 64 at most. */
const KEPT_OF_NAME = 50;
/** Characters of a name that a repair shows. */
const SHOWN_OF_NAME = 100;

/** A tag as it stands in a file. */
export type RawTag = Readonly<Record<string, unknown>> & { readonly tasks: readonly unknown[] };

interface NamedTag {
  /** A name that a tag may have, and no other of the file has. */
  readonly name: string;
  readonly raw: RawTag;
  /** Says why the name is not the one of the file. */
  readonly repair?: FileRepair;
}

/** How many tags a file has, found without naming them. */
export function countFileTags(file: Readonly<Record<string, unknown>>): number {
  return Object.values(file).filter(isRawTag).length + (hasTasks(file) ? 1 : 0);
}

/**
 * The tags of a file in its order, and its fields that are none. A file without tags, `{ "tasks": [...] }`, is the default tag; where such tasks
 * stand beside tags, they are a tag more. A valid name stays whatever the others are.
 */
export function readFileTags(file: Readonly<Record<string, unknown>>): {
  readonly tags: readonly NamedTag[];
  readonly others: readonly (readonly [string, unknown])[];
} {
  const fields = Object.entries(file);
  const written = fields.filter((entry): entry is [string, RawTag] => isRawTag(entry[1]));
  if (hasTasks(file) && written.length === 0) return { tags: [{ name: DEFAULT_TAG, raw: file }], others: [] };
  const taken = new Set(written.map(([name]) => name).filter(isTagName));
  const hasLooseMetadata = hasTasks(file) && isRecord(file['metadata']) && !isRawTag(file['metadata']);
  const names = new FreeNames(taken);
  const loose = hasTasks(file) ? looseTag(file, names, taken.has(DEFAULT_TAG)) : undefined;
  const tags: NamedTag[] = [];
  const others: [string, unknown][] = [];
  for (const [field, value] of fields) {
    if (isRawTag(value))
      tags.push(isTagName(field) ? { name: field, raw: value } : renamed(field, value, names));
    else if (field === 'tasks' && loose !== undefined) tags.push(loose);
    else if (field !== 'metadata' || !hasLooseMetadata) others.push([field, value]);
  }
  return { tags, others };
}

const hasTasks = (value: Readonly<Record<string, unknown>>): value is RawTag => Array.isArray(value['tasks']);
const isRawTag = (value: unknown): value is RawTag => isRecord(value) && hasTasks(value);
const isTagName = (name: string) => tagNameSchema.safeParse(name).success;

/** The tasks that stand beside tags, with the metadata that stands there too. */
function looseTag({ tasks, metadata }: RawTag, names: FreeNames, isOther: boolean): NamedTag {
  const name = names.take(DEFAULT_TAG);
  const why = isOther ? `, and '${DEFAULT_TAG}' is another` : '';
  return {
    name,
    raw: { tasks, ...(isRecord(metadata) && !isRawTag(metadata) ? { metadata } : {}) },
    repair: { place: 'tasks', problem: `stand beside tags${why}; they are the tag '${name}' now` },
  };
}

function renamed(written: string, raw: RawTag, names: FreeNames): NamedTag {
  // A cut through a character, or half of one, is no letter.
  const base =
    written
      .slice(0, KEPT_OF_NAME)
      .toWellFormed()
      .replaceAll(/[^\p{L}\p{N}._-]/gu, '-') || 'tag';
  const name = names.take(base);
  const problem = `a tag must be 1 to 64 letters, digits or - _ .; it is '${name}' now`;
  return { name, raw, repair: { place: written.slice(0, SHOWN_OF_NAME).toWellFormed(), problem } };
}

/** Gives names that none of a file's tags has: thousands of one beginning in one pass. */
class FreeNames {
  private readonly taken: Set<string>;
  /** By beginning, the copy that was given last. */
  private readonly copies: Map<string, number>;

  constructor(taken: ReadonlySet<string>) {
    this.taken = new Set(taken);
    this.copies = new Map();
  }

  take(base: string): string {
    let copy = this.copies.get(base) ?? 1;
    let name = copy === 1 ? base : `${base}-${copy}`;
    while (this.taken.has(name)) name = `${base}-${++copy}`;
    this.copies.set(base, copy);
    this.taken.add(name);
    return name;
  }
}
