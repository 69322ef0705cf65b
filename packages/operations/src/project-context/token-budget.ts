import { estimateTokens, truncateToTokens } from '@baton/protocol';

/** Fewer tokens than these are no beginning of a text that is worth reading. */
const LEAST_BEGINNING = 20;

/** What of a list found room, and what did not. */
interface TakenItems {
  readonly shown: readonly object[];
  /** How many are shown in less than their first form. */
  readonly shortened: number;
  /** How many are not shown. */
  readonly left: number;
}

/**
 * The tokens that a request may spend on its project. What is taken first is the most important; what a part leaves of its share
 * is there for those after it.
 */
export class TokenBudget {
  private left: number;

  constructor(tokens: number) {
    this.left = tokens;
  }

  /** The text, or as much of its beginning as `share` (0 to 1) of what is left holds; undefined where that is nothing. */
  takeText(text: string, share: number): string | undefined {
    const most = Math.floor(this.left * share);
    const taken = truncateToTokens(text, most);
    if (taken === '' || (taken.length < text.length && most < LEAST_BEGINNING)) return undefined;
    this.left -= estimateTokens(taken);
    return taken;
  }

  /**
   * Of each item the first of its forms that fits into its part of `share` of what is left. What an item leaves of its part
   * is the next ones'. The last form may take more than a part, so that the first items are there before the last ones; an
   * item of which it does not fit is left out.
   */
  takeItems<T>(items: readonly T[], forms: readonly ((item: T) => object)[], share: number): TakenItems {
    let room = Math.floor(this.left * share);
    const shown: object[] = [];
    let shortened = 0;
    for (const [at, item] of items.entries()) {
      const part = room / (items.length - at);
      const found = firstFitting(item, forms, part, room);
      if (found === undefined) continue;
      shown.push(found.value);
      if (found.shortened) shortened++;
      room -= found.tokens;
      this.left -= found.tokens;
    }
    return { shown, shortened, left: items.length - shown.length };
  }
}

function firstFitting<T>(item: T, forms: readonly ((item: T) => object)[], part: number, room: number) {
  for (const [at, form] of forms.entries()) {
    const value = form(item);
    const tokens = estimateTokens(JSON.stringify(value));
    if (tokens <= (at === forms.length - 1 ? room : part)) return { value, tokens, shortened: at > 0 };
  }
  return undefined;
}
