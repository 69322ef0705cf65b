import type { TaskEnd, TaskStatus } from '@baton/protocol';
import type { ParkedTask } from '../records/task-view.ts';

/** What is published of a task to the requests that wait for it. */
export interface TaskUpdate {
  /** How many of the task's events its program had consumed. */
  readonly seen: number;
  readonly status: TaskStatus;
  /** The task's end, where it has ended and that is small; a larger one is to be read. */
  readonly end: TaskEnd | undefined;
  /** What it waits for, where that is small and was all published; otherwise it is to be read. */
  readonly parked?: ParkedTask | undefined;
}

/** Says when a wait is cancelled; an `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The wait of one request. Keeps the latest update until `next` asks for it. Of subscriptions with the same `group` an update wakes
 * one, which passes it on where it leaves something to the others.
 */
export class InboxSubscription {
  readonly group: string | undefined;
  private readonly onClose: () => void;
  private readonly onPassOn: () => void;
  /** An update was received, and whether there is more was not found out since. */
  private mayLeaveMore = false;
  private latest: { update: TaskUpdate | undefined } | undefined;
  private wake: (() => void) | undefined;

  constructor(onClose: () => void, onPassOn: () => void = () => {}, group?: string) {
    this.onClose = onClose;
    this.onPassOn = onPassOn;
    this.group = group;
  }

  /**
   * `undefined` means that updates may be missed, or undone, or that the caller's key may have ended: `next` then returns
   * 'reread', whatever update comes before it is asked.
   */
  receive(update: TaskUpdate | undefined): void {
    if (this.latest === undefined || this.latest.update !== undefined) this.latest = { update };
    this.wake?.();
  }

  /** The next update; 'reread' when the caller is to read the task; 'ended' after `milliseconds`, or when `signal` aborts. */
  async next(milliseconds: number, signal?: CancelSignal): Promise<TaskUpdate | 'reread' | 'ended'> {
    this.mayLeaveMore = false;
    if (this.latest === undefined && milliseconds > 0 && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const stop = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        // A timer of a fraction fires before it is over.
        const timer = setTimeout(stop, Math.ceil(milliseconds));
        this.wake = stop;
        signal?.addEventListener('abort', stop);
      });
      this.wake = undefined;
    }
    const received = this.latest;
    this.latest = undefined;
    if (received === undefined) return 'ended';
    this.mayLeaveMore = true;
    return received.update ?? 'reread';
  }

  /** Wakes the next subscription of its group. */
  wakeNext(): void {
    this.onPassOn();
  }

  close(): void {
    if (this.mayLeaveMore || this.latest !== undefined) this.onPassOn();
    this.onClose();
  }
}
