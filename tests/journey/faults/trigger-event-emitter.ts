/** Events that can trigger a fault; each is recorded with the process that caused it. */
export type TriggerEvent =
  /** An agent called the LLM endpoint. */
  | 'llm-called'
  /** A worker sent a command about a task to Redis. */
  | 'worker-command'
  /** A gateway sent a command about a task to Redis. */
  | 'gateway-command'
  /** A worker sent the end of a conversation's turn to Redis. */
  | 'turn-ended'
  /** The client calls an operation at a gateway. */
  | 'operation-called'
  /** The client sets a status at a gateway. */
  | 'status-set';

/** Counts events and calls the listeners synchronously, in order. */
export class TriggerEventEmitter {
  private readonly counts = new Map<TriggerEvent, number>();
  private readonly listeners: ((event: TriggerEvent, nth: number, by: string) => void)[] = [];

  onEvent(listener: (event: TriggerEvent, nth: number, by: string) => void): void {
    this.listeners.push(listener);
  }

  /** How often an event has occurred. */
  count(event: TriggerEvent): number {
    return this.counts.get(event) ?? 0;
  }

  record(event: TriggerEvent, by: string): void {
    const nth = this.count(event) + 1;
    this.counts.set(event, nth);
    for (const listener of this.listeners) listener(event, nth, by);
  }
}
