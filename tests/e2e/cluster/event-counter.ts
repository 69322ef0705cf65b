/** What of a journey a strike can be bound to; each is told with the name of whoever did it. */
export type ClusterEvent =
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
export class EventCounter {
  private readonly counts = new Map<ClusterEvent, number>();
  private readonly listeners: ((event: ClusterEvent, nth: number, by: string) => void)[] = [];

  onEvent(listener: (event: ClusterEvent, nth: number, by: string) => void): void {
    this.listeners.push(listener);
  }

  /** How often it has happened. */
  count(event: ClusterEvent): number {
    return this.counts.get(event) ?? 0;
  }

  record(event: ClusterEvent, by: string): void {
    const nth = this.count(event) + 1;
    this.counts.set(event, nth);
    for (const listener of this.listeners) listener(event, nth, by);
  }
}
