import type { SeededPlan, PlannedFault } from './seeded-plan.ts';
import type { EventCounter } from './event-counter.ts';

/** Whom strikes may hit. */
export interface FaultTargets {
  /** Ends a process with -9 and has it started again; false when it is not there to be killed. */
  kill(name: string): boolean;
  /** Lets nothing of what this gateway says reach the client, until `hear`. */
  dropReplies(gateway: string): void;
  /** Lets replies through again; true when one was lost meanwhile. */
  restoreReplies(): boolean;
}

/** Carries out a plan's strikes as the journey comes to them, and keeps what it did. */
export class FaultInjector {
  readonly injected: { readonly strike: PlannedFault; readonly victim: string }[] = [];
  private readonly pending: Set<PlannedFault>;
  private readonly targets: FaultTargets;
  /** The reply that is to be lost is still awaited. */
  private droppingReply: FaultInjector['injected'][number] | undefined;

  constructor({ faults }: SeededPlan, events: EventCounter, targets: FaultTargets) {
    this.pending = new Set(faults);
    this.targets = targets;
    events.onEvent((event, nth, by) => {
      for (const strike of this.pending) {
        if (strike.event !== event || nth < strike.nth) continue;
        if (strike.what === 'lose') {
          targets.dropReplies(by);
          this.droppingReply = { strike, victim: by };
        } else if (targets.kill(by)) this.injected.push({ strike, victim: by });
        else continue;
        this.pending.delete(strike);
        return;
      }
    });
  }

  /** The client's attempt is over. A gateway that was not there has lost no reply: the next one does. */
  onAttemptEnd(): void {
    const lost = this.targets.restoreReplies();
    const { droppingReply } = this;
    this.droppingReply = undefined;
    if (droppingReply === undefined) return;
    if (lost) this.injected.push(droppingReply);
    else this.pending.add(droppingReply.strike);
  }

  /** What came to pass, such as `worker-1 at worked 7`. */
  get errorText(): string {
    return this.injected
      .map(({ strike, victim }) =>
        strike.what === 'kill'
          ? `${victim} at ${strike.event} ${strike.nth}`
          : `a reply of ${victim} at ${strike.event} ${strike.nth}`,
      )
      .join(', ');
  }

  /** What is missing of four kills, one of each kind at least. */
  get missingFaults(): string[] {
    const killed = this.injected.filter(({ strike }) => strike.what === 'kill').map(({ victim }) => victim);
    const kinds = ['agent', 'worker', 'gateway'].filter(
      (kind) => !killed.some((one) => one.startsWith(kind)),
    );
    return [
      ...kinds.map((kind) => `no ${kind} was killed`),
      ...(killed.length < 4 ? [`only ${killed.length} processes were killed`] : []),
      ...[...this.pending].map(({ what, event, nth }) => `it never came to ${what} at ${event} ${nth}`),
    ];
  }
}
