import type { Json } from '@baton/protocol';

/** Characters of JSON that values may take in the arguments, or the URI, of one call. */
export const MAX_CALL_ARGUMENTS_LENGTH = 262_144;
/** Characters of JSON that values may take in all that is shown of a workflow at once. */
export const MAX_SHOWN_LENGTH = 262_144;

/**
 * Characters of JSON that values may take where they are filled in: a definition is small, and what it repeats may be large. From the
 * first value that has no room, none has; so what is measured in all is no more than the budget and one value.
 */
export class ValueBudget {
  private left: number;
  private readonly whole: ValueBudget | undefined;

  constructor(most: number, whole?: ValueBudget) {
    this.left = most;
    this.whole = whole;
  }

  /** A budget of so many characters at most, that draws on this one. */
  part(most: number): ValueBudget {
    return new ValueBudget(most, this);
  }

  /** Whether a value had no room. */
  get isExceeded(): boolean {
    return this.left < 0 || (this.whole?.isExceeded ?? false);
  }

  /**
   * The value as `show` writes it; undefined where that has no room. A text whose length alone is too much is never written.
   */
  take<T extends Json>(value: Json, show: (value: Json) => T): T | undefined {
    if (typeof value === 'string' && value.length > this.left) this.left = -1;
    if (this.isExceeded) return undefined;
    const shown = show(value);
    return this.spend(JSON.stringify(shown).length) ? shown : undefined;
  }

  private spend(length: number): boolean {
    this.left = length <= this.left ? this.left - length : -1;
    return this.left >= 0 && (this.whole?.spend(length) ?? true);
  }
}
