/** What an `AbortSignal` is to those who wait, and no `EventTarget`, which would cost each call more than its wait. */
export class LightAbortSignal {
  /** Why, once it is over. */
  reason: string | undefined;
  private readonly listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  /** The first reason stays; each listener hears once. */
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
