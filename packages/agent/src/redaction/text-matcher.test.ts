import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextMatcher, type TextRange } from './text-matcher.ts';

const letters = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength });

/** The same by trying each beginning at each place. */
function rangesByTrial(word: string, least: number, text: string): TextRange[] {
  const covered: TextRange[] = [];
  for (let start = 0; start < text.length; start++)
    for (let length = word.length; length >= least; length--)
      if (text.startsWith(word.slice(0, length), start)) {
        const last = covered.at(-1);
        const end = start + length;
        if (last !== undefined && start < last.end)
          covered[covered.length - 1] = { ...last, end: Math.max(last.end, end) };
        else covered.push({ start, end });
        break;
      }
  return covered;
}

test('finds what a trial at each place finds, whatever repeats itself', () => {
  fc.assert(
    fc.property(letters(9), fc.nat(8), letters(60), (word, less, text) => {
      const least = Math.max(1, word.length - less);
      expect(new TextMatcher(word, least).rangesIn(text)).toEqual(rangesByTrial(word, least, text));
    }),
    { numRuns: 2_000 },
  );
});
