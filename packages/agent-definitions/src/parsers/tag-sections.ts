import type { Json, JsonObject, Validation } from '@baton/protocol';
import type { ParserTag } from '../prompt/prompt.ts';

/** What stands in one tag of an answer. */
export interface TagSection {
  readonly name: string;
  readonly text: string;
}

/** The tags that were found in an answer, in the order in which they open. */
export interface FoundTags {
  readonly sections: readonly TagSection[];
  /** Tags that open and never close. */
  readonly unclosed: readonly string[];
  /** Why they were not all looked for; then `sections` is empty. */
  readonly problem?: string;
}

/** Tags that open, or code blocks, of one answer. */
const MAX_TAGS = 10_000;
/** What is found where an answer has more. */
export const TOO_MANY_TAGS: FoundTags = {
  sections: [],
  unclosed: [],
  problem: `the answer has more than ${MAX_TAGS} tags or code blocks`,
};
export const isTooMany = (tags: number): boolean => tags > MAX_TAGS;

const MAX_NAMED = 10;

/**
 * The value of an answer in tags: for each tag its text, a list of texts where there may be many, and for a signal whether it
 * is there. A tag that is not required and not there is left out. The problem names what is missing, repeated or cut off,
 * as `syntax` writes a tag.
 */
export function valueOfTags(
  tags: readonly ParserTag[],
  { sections, unclosed, problem }: FoundTags,
  syntax: (name: string) => string,
): Validation<JsonObject> {
  if (problem !== undefined) return { ok: false, problem };
  const textsOf = new Map(tags.map(({ name }) => [name, [] as string[]]));
  for (const { name, text } of sections) textsOf.get(name)?.push(text);
  // Not assigned one by one: a tag may be named __proto__.
  const value = new Map<string, Json>();
  const problems: string[] = [];
  for (const { name, required, signal, many } of tags) {
    const texts = textsOf.get(name) ?? [];
    const [first] = texts;
    if (unclosed.includes(name) && texts.length === 0 && !signal) {
      problems.push(`${syntax(name)} is opened and never closed: the answer may have been cut off`);
    } else if (signal) {
      const isThere = texts.length > 0 || unclosed.includes(name);
      value.set(name, isThere);
      if (required && !isThere) problems.push(`${syntax(name)} is missing`);
    } else if (first === undefined && required) {
      problems.push(`${syntax(name)} is missing`);
    } else if (many) {
      value.set(name, texts);
    } else if (texts.length > 1) {
      problems.push(`${syntax(name)} stands there ${texts.length} times and may stand there once`);
    } else if (first !== undefined) {
      value.set(name, first);
    }
  }
  if (problems.length === 0) return { ok: true, value: Object.fromEntries(value) };
  const more = problems.length - MAX_NAMED;
  return {
    ok: false,
    problem: problems.slice(0, MAX_NAMED).join('; ') + (more > 0 ? `; and ${more} more` : ''),
  };
}
