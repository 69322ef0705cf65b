/** What of a journey a strike can be bound to; each is told with the name of whoever did it. */
export type Event =
  /** The LLM endpoint was asked, by an agent. */
  | 'asked'
  /** A worker has sent Redis something about a task. */
  | 'worked'
  /** A gateway has sent Redis something about a task. */
  | 'served'
  /** The client is starting an operation, at a gateway. */
  | 'starting'
  /** The client is setting a status, at a gateway. */
  | 'marking';

/** Counts what happens, and tells whoever listens, at once and in order. */
export class Progress {
  private readonly counts = new Map<Event, number>();
  private readonly listeners: ((event: Event, nth: number, by: string) => void)[] = [];

  listen(listener: (event: Event, nth: number, by: string) => void): void {
    this.listeners.push(listener);
  }

  /** How often it has happened. */
  times(event: Event): number {
    return this.counts.get(event) ?? 0;
  }

  tell(event: Event, by: string): void {
    const nth = this.times(event) + 1;
    this.counts.set(event, nth);
    for (const listener of this.listeners) listener(event, nth, by);
  }
}
