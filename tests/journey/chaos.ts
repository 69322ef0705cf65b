import type { Plan, Strike } from './plan.ts';
import type { Progress } from './progress.ts';

/** Whom strikes may hit. */
export interface Targets {
  /** Ends a process with -9 and has it started again; false when it is not there to be killed. */
  kill(name: string): boolean;
  /** Lets nothing of what this gateway says reach the client, until `hear`. */
  lose(gateway: string): void;
  /** Lets replies through again; true when one was lost meanwhile. */
  hear(): boolean;
}

/** Carries out a plan's strikes as the journey comes to them, and keeps what it did. */
export class Chaos {
  readonly done: { readonly strike: Strike; readonly victim: string }[] = [];
  private readonly waiting: Set<Strike>;
  private readonly targets: Targets;
  /** The reply that is to be lost is still awaited. */
  private losing: Chaos['done'][number] | undefined;

  constructor({ strikes }: Plan, progress: Progress, targets: Targets) {
    this.waiting = new Set(strikes);
    this.targets = targets;
    progress.listen((event, nth, by) => {
      for (const strike of this.waiting) {
        if (strike.event !== event || nth < strike.nth) continue;
        if (strike.what === 'lose') {
          targets.lose(by);
          this.losing = { strike, victim: by };
        } else if (targets.kill(by)) this.done.push({ strike, victim: by });
        else continue;
        this.waiting.delete(strike);
        return;
      }
    });
  }

  /** The client's attempt is over. A gateway that was not there has lost no reply: the next one does. */
  attempted(): void {
    const lost = this.targets.hear();
    const { losing } = this;
    this.losing = undefined;
    if (losing === undefined) return;
    if (lost) this.done.push(losing);
    else this.waiting.add(losing.strike);
  }

  /** What came to pass, such as `worker-1 at worked 7`. */
  get told(): string {
    return this.done
      .map(({ strike, victim }) =>
        strike.what === 'kill'
          ? `${victim} at ${strike.event} ${strike.nth}`
          : `a reply of ${victim} at ${strike.event} ${strike.nth}`,
      )
      .join(', ');
  }

  /** What is missing of four kills, one of each kind at least. */
  get missing(): string[] {
    const killed = this.done.filter(({ strike }) => strike.what === 'kill').map(({ victim }) => victim);
    const kinds = ['agent', 'worker', 'gateway'].filter(
      (kind) => !killed.some((one) => one.startsWith(kind)),
    );
    return [
      ...kinds.map((kind) => `no ${kind} was killed`),
      ...(killed.length < 4 ? [`only ${killed.length} processes were killed`] : []),
      ...[...this.waiting].map(({ what, event, nth }) => `it never came to ${what} at ${event} ${nth}`),
    ];
  }
}
