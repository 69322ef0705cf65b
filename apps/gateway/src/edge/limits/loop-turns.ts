/**
 * Turns of the event loop for work that holds it for milliseconds: one piece in each iteration, so that requests of others
 * are handled in between; owners in turn.
 */
export class LoopTurns {
  /** By owner, in the order in which they came; an owner without any has no entry. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Calls `run` in an iteration of its own. */
  enter(owner: string, run: () => void): void {
    if (this.waiting.size === 0) this.scheduleNext();
    const ofOwner = this.waiting.get(owner);
    if (ofOwner === undefined) this.waiting.set(owner, [run]);
    else ofOwner.push(run);
  }

  private scheduleNext(): void {
    setImmediate(() => {
      const [next] = this.waiting;
      if (next === undefined) return;
      const [owner, [run, ...others]] = next;
      this.waiting.delete(owner);
      if (others.length > 0) this.waiting.set(owner, others);
      if (this.waiting.size > 0) this.scheduleNext();
      run?.();
    });
  }
}
