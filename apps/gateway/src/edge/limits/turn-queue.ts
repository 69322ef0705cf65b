interface Turns {
  running: number;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** Lets so many of one key run at once; the others wait for their turn in the order in which they came. */
export class TurnQueue {
  private readonly atOnce: number;
  private readonly waitMs: number;
  private readonly byKey = new Map<string, Turns>();

  constructor(atOnce: number, waitMs: number) {
    this.atOnce = atOnce;
    this.waitMs = waitMs;
  }

  /**
   * Calls `begin` once: with true when it is this one's turn, and with false when its turn has not come within `waitMs`.
   * The returned function is to be called when it is over, or when nobody waits for it any more.
   */
  enter(key: string, begin: (hasTurn: boolean) => void): () => void {
    const turns = this.byKey.get(key) ?? { running: 0, waiting: new Set() };
    this.byKey.set(key, turns);
    if (turns.running < this.atOnce) {
      turns.running++;
      begin(true);
      return once(() => this.leave(key, turns));
    }
    let hasTurn = false;
    const take = () => {
      clearTimeout(timer);
      hasTurn = true;
      begin(true);
    };
    const timer = setTimeout(() => {
      turns.waiting.delete(take);
      begin(false);
    }, this.waitMs);
    turns.waiting.add(take);
    return once(() => {
      clearTimeout(timer);
      if (hasTurn) this.leave(key, turns);
      else turns.waiting.delete(take);
    });
  }

  private leave(key: string, turns: Turns): void {
    const [next] = turns.waiting;
    if (next === undefined) {
      if (--turns.running === 0) this.byKey.delete(key);
      return;
    }
    turns.waiting.delete(next);
    next();
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
