import type { Effect, Remark } from './effect.ts';
import type { Entry, Journal } from './journal.ts';

/** The lines of a program by their prefixes: the program itself is '', the first branch of the `all` at 2 is '2.0.'. */
export type Lines = Map<string, Line>;

/**
 * How far one line of effects came, and how much of it a retry of the task keeps: what was paid for, and what changed
 * anything. What stands behind that is done again.
 */
export class Line {
  readonly prefix: string;
  /** Whether the task has the turn in a conversation: its answers rest on messages which may not be the last by then. */
  isTurn: boolean;
  /** The place of the first effect that is not kept. */
  kept = 0;
  /** Whether the `all` that stands there is kept in part. */
  keepsBranches = false;
  /** The place at which the program last reached a checkpoint. */
  checkpoint: number | undefined;
  private next = 0;
  private beforeAnswer = { kept: 0, keepsBranches: false };

  constructor(prefix: string, isTurn: boolean) {
    this.prefix = prefix;
    this.isTurn = isTurn;
  }

  get nextPath(): string {
    return `${this.prefix}${this.next}`;
  }

  /** Whether a retry keeps anything of it. */
  get keeps(): boolean {
    return this.kept > 0 || this.keepsBranches;
  }

  /** Whether a retry keeps all of it. */
  get isWhole(): boolean {
    return this.kept === this.next;
  }

  /** An effect has had its outcome. */
  pass(effect: Exclude<Effect, Remark>, entry: Entry): void {
    const { kept, keepsBranches } = this;
    this.next++;
    switch (effect.kind) {
      case 'commit':
        if (entry.ok) this.keep();
        return;
      case 'llm':
        this.beforeAnswer = { kept, keepsBranches };
        if (entry.ok && !this.isTurn) this.keep();
        return;
      case 'turn':
        this.isTurn ||= entry.ok && !(entry.value as { readonly waits: boolean }).waits;
        return;
      case 'append':
        this.isTurn = false;
        if (entry.ok && effect.messages.length > 0) this.keep();
        return;
      case 'all':
        // Of one that failed as a whole it is not known what its branches changed.
        if (!entry.repeatable) this.keep();
        return;
      default:
        return;
    }
  }

  /** The branches of the next effect, as far as they came. */
  passAll(branches: readonly Line[], isFinished: boolean): void {
    const keepsSome = branches.some((branch) => branch.keeps);
    const isWhole = isFinished && branches.every((branch) => branch.isWhole) && (keepsSome || !this.isTurn);
    if (keepsSome && !isWhole) {
      this.keep();
      this.keepsBranches = true;
    }
    if (isFinished) this.next++;
    if (isWhole) this.keep();
  }

  /** It had collapsed. */
  passCollapsed(entry: Entry): void {
    this.next = 1;
    if (entry.ok && !entry.repeatable) this.kept = 1;
  }

  /** The last answer is of no use. */
  discardAnswer(): void {
    Object.assign(this, this.beforeAnswer);
  }

  /** Whether the task was retried from here. */
  reachCheckpoint(journal: Journal): boolean {
    if (!this.isTurn) {
      this.keep();
      this.checkpoint = this.next;
    }
    if (journal.get(this.nextPath)?.kind !== 'retry') return false;
    this.next++;
    return true;
  }

  private keep(): void {
    this.kept = this.next;
    this.keepsBranches = false;
  }
}
