import { extractText, type Json, type Validation } from '@baton/protocol';

/** Classes of one call at most: each is answered by one letter, which is one token of every model. */
export const MAX_CLASSES = 26;

/** The letter that stands for the class at `index`. */
export const labelOf = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

/** The index of the class that a token or an answer names, by its letter or by itself; -1 for any other. */
export function classIndexOf(classes: readonly string[], said: string): number {
  const word = said
    .trim()
    .replace(/^["'`(*]+|["'`)*.:]+$/g, '')
    .trim();
  if (/^[A-Za-z]$/.test(word)) {
    const index = word.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0);
    if (index < classes.length) return index;
  }
  return classes.findIndex((name) => name.toLowerCase() === word.toLowerCase());
}

/** The class that an answer gives, as an index. */
export function readClass(classes: readonly string[], data: Json): Validation<number> {
  const text = extractText(data);
  if (!text.ok) return text;
  const index = classIndexOf(classes, text.value.slice(0, 300));
  if (index >= 0) return { ok: true, value: index };
  const letters = classes.map((_, at) => labelOf(at)).join(', ');
  return { ok: false, problem: `the answer is none of the letters ${letters}` };
}
