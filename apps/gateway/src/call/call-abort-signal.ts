/** The part of `AbortSignal` that waits use, without `EventTarget`, which costs more than the wait itself. */
export class CallAbortSignal {
  /** Set once it is aborted. */
  reason: string | undefined;
  private readonly listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  /** The first reason stays; each listener is called once. */
  abort(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }
}
