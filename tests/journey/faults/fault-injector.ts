import type { JourneyPlan, PlannedFault } from './journey-plan.ts';
import type { TriggerEventEmitter } from './trigger-event-emitter.ts';

/** What faults act on. */
export interface FaultTargets {
  /** Kills a process with SIGKILL and restarts it; false when it does not run. */
  kill(name: string): boolean;
  /** Has the last command of a worker reach Redis, and its reply lost. */
  loseReply(worker: string): void;
  /** Drops the replies of a gateway to the client, until `restoreReplies`. */
  dropReplies(gateway: string): void;
  /** Forwards replies again; true when one was dropped meanwhile. */
  restoreReplies(): boolean;
}

/** Injects a plan's faults when their events occur, and records them. */
export class FaultInjector {
  readonly injected: { readonly fault: PlannedFault; readonly target: string }[] = [];
  private readonly pending: Set<PlannedFault>;
  private readonly targets: FaultTargets;
  private readonly roles: readonly string[];
  /** A fault whose reply has not come yet. */
  private droppingReply: FaultInjector['injected'][number] | undefined;

  /** `roles`: of which at least one process each has to be killed. */
  constructor(
    { faults }: Pick<JourneyPlan, 'faults'>,
    events: TriggerEventEmitter,
    targets: FaultTargets,
    roles: readonly string[] = ['agent', 'worker', 'gateway'],
  ) {
    this.pending = new Set(faults);
    this.targets = targets;
    this.roles = roles;
    events.onEvent((event, nth, by) => {
      for (const fault of this.pending) {
        if (fault.event !== event || nth < fault.nth) continue;
        if (fault.what === 'drop-reply') {
          targets.dropReplies(by);
          this.droppingReply = { fault, target: by };
        } else if (fault.what === 'lose-reply') {
          targets.loseReply(by);
          this.injected.push({ fault, target: by });
        } else if (targets.kill(by)) this.injected.push({ fault, target: by });
        else continue;
        this.pending.delete(fault);
        return;
      }
    });
  }

  /** Called after each attempt of the client. If no reply was dropped, since the gateway did not run, the fault is pending again. */
  onAttemptEnd(): void {
    const dropped = this.targets.restoreReplies();
    const { droppingReply } = this;
    this.droppingReply = undefined;
    if (droppingReply === undefined) return;
    if (dropped) this.injected.push(droppingReply);
    else this.pending.add(droppingReply.fault);
  }

  /** The injected faults, such as `worker-1 at worker-command 7`. */
  get injectedText(): string {
    return this.injected
      .map(({ fault, target }) =>
        fault.what === 'kill'
          ? `${target} at ${fault.event} ${fault.nth}`
          : `a reply of ${target} at ${fault.event} ${fault.nth}`,
      )
      .join(', ');
  }

  /** Faults that did not happen: at least four kills, one of each role, and every planned fault. */
  get missingFaults(): string[] {
    const killed = this.injected.filter(({ fault }) => fault.what === 'kill').map(({ target }) => target);
    const kinds = this.roles.filter((kind) => !killed.some((one) => one.startsWith(kind)));
    return [
      ...kinds.map((kind) => `no ${kind} was killed`),
      ...(killed.length < 4 ? [`only ${killed.length} processes were killed`] : []),
      ...[...this.pending].map(({ what, event, nth }) => `the run never reached ${what} at ${event} ${nth}`),
    ];
  }
}
