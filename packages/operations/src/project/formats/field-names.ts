import { DEFAULT_TAG } from '../model/project.ts';

/**
 * The names of the fields of a project's stored record. The id is before the tag, so that a tag's name may hold any
 * character. Later kinds of fields get prefixes of their own; readers ignore the ones that they do not know.
 */
export const META = 'meta';
export const ABOUT = 'about';
export const RULES = 'rules';
export const PARTS = 'parts';
export const FILE = 'file:';
export const REPORT = 'report:';
export const tagField = (tag: string) => `tag:${tag}`;
export const updatedField = (tag: string) => `updated:${tag}`;
export const taskField = (tag: string, id: number) => `task:${id}:${tag}`;
export const indexBucket = (id: number) => Math.floor(id / INDEXED_IDS);
export const indexBucketField = (tag: string, bucket: number) => `index:${bucket}:${tag}`;
export const indexField = (tag: string, id: number) => indexBucketField(tag, indexBucket(id));

/** So many ids share a field of the index: a change of one task writes the entries of its neighbours with its own. */
const INDEXED_IDS = 64;

const KIND = /^(?:(tag|updated|report|file):(.*)|(task|index):(\d+):(.*))$/s;

/** What a field is, by its name: `of` is a tag, or a file's name; undefined for `meta` and others that stand alone. */
export function parseFieldName(field: string): { kind: string; of: string; number: number } | undefined {
  const [, plain, name, numbered, number, tag] = KIND.exec(field) ?? [];
  if (plain !== undefined) return { kind: plain, of: name ?? '', number: 0 };
  if (numbered !== undefined) return { kind: numbered, of: tag ?? '', number: Number(number) };
  return undefined;
}

/** Where a reader begins: from these he knows which others there are. Most projects have all tasks in the first tag. */
export const INITIAL_FIELDS: readonly string[] = [
  META,
  PARTS,
  tagField(DEFAULT_TAG),
  updatedField(DEFAULT_TAG),
];
