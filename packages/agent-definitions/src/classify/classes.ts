import { extractText, type Json, textUpToLast, type Validation } from '@baton/protocol';

/** Classes of one call at most: each is answered by one letter, which is one token of every model. */
export const MAX_CLASSES = 26;

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/** The letter that stands for each class: its own name where that is a letter, so that none stands for another's name. */
export function labelsOf(classes: readonly string[]): string[] {
  const free = new Set(LETTERS);
  const own = classes.map((name) => (free.delete(name.toUpperCase()) ? name.toUpperCase() : undefined));
  const others = free.values();
  return own.map((letter) => letter ?? others.next().value ?? '');
}

const WORDS = /[^"'`)*.:]+/g;

/** The index of the class that a token or an answer names, by its letter or by itself; -1 for any other. */
export function classIndexOf(classes: readonly string[], said: string): number {
  const word = textUpToLast(said.trim().replace(/^["'`(*]+/, ''), WORDS).trim();
  const index = labelsOf(classes).indexOf(word.toUpperCase());
  if (index >= 0) return index;
  return classes.findIndex((name) => name.toLowerCase() === word.toLowerCase());
}

/** The class that an answer gives, as an index. */
export function readClass(classes: readonly string[], data: Json): Validation<number> {
  const text = extractText(data);
  if (!text.ok) return text;
  const index = classIndexOf(classes, text.value.slice(0, 300));
  if (index >= 0) return { ok: true, value: index };
  return { ok: false, problem: `the answer is none of the letters ${labelsOf(classes).join(', ')}` };
}
