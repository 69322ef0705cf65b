/** A part of a text: from `start` up to `end`, which is not part of it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** So much of what is looked for is found by `indexOf` first: most texts hold nothing of it. */
const MAX_PROBE_LENGTH = 16;

/**
 * Finds a word in texts, or its beginnings from `least` characters on, in a time that grows with the text alone, whatever both are
 * (the algorithm of Knuth, Morris and Pratt). What overlaps is one range.
 */
export class TextMatcher {
  private readonly word: string;
  private readonly least: number;
  private readonly probe: string;
  /** By how many characters of the word were read, how many of its beginning they end with. */
  private fallbacks: Uint16Array | undefined;

  /** @param word of at most 65,535 characters */
  constructor(word: string, least = word.length) {
    this.word = word;
    this.least = least;
    this.probe = word.slice(0, Math.min(least, MAX_PROBE_LENGTH));
  }

  /** In the order of the text. */
  rangesIn(text: string): TextRange[] {
    const { word, least, probe } = this;
    const ranges: { start: number; end: number }[] = [];
    let read = 0;
    for (let at = text.indexOf(probe); at !== -1 && at < text.length; at++) {
      read = this.advance(read, text.charCodeAt(at));
      if (read >= least) {
        const start = at + 1 - read;
        const last = ranges.at(-1);
        if (last !== undefined && start < last.end) last.end = at + 1;
        else ranges.push({ start, end: at + 1 });
      }
      if (read === 0) {
        const next = text.indexOf(probe, at + 1);
        if (next === -1) break;
        at = next - 1;
      }
      if (read === word.length) read = this.fallbackOf(read);
    }
    return ranges;
  }

  private advance(read: number, code: number): number {
    let matched = read;
    while (matched > 0 && this.word.charCodeAt(matched) !== code) matched = this.fallbackOf(matched);
    return this.word.charCodeAt(matched) === code ? matched + 1 : 0;
  }

  private fallbackOf(read: number): number {
    this.fallbacks ??= fallbacksOf(this.word);
    return this.fallbacks[read] as number;
  }
}

function fallbacksOf(word: string): Uint16Array {
  const fallbacks = new Uint16Array(word.length + 1);
  let matched = 0;
  for (let at = 1; at < word.length; at++) {
    const code = word.charCodeAt(at);
    while (matched > 0 && word.charCodeAt(matched) !== code) matched = fallbacks[matched] as number;
    if (word.charCodeAt(matched) === code) matched++;
    fallbacks[at + 1] = matched;
  }
  return fallbacks;
}
