import { BatonError } from '@baton/protocol';
import { CheckingTime } from './checking-time.ts';

/** Checks at once: one that is long, and two that are not. */
export const MAX_RUNNING = 3;
/** A check that has run for so long is a long one; of several only one goes on while others wait. */
const LONG_MS = 50;
/** Of one tenant. */
const MAX_WAITING = 100;
/** Of the tenants that share the thread for long checks. */
const MAX_HEAVY_WAITING = 2;
/** What a check costs beside its time: one that was killed three times as much, one that lost its thread what makes it long. */
const KILLED_FACTOR = 4;
const PREEMPTED_MS = 500;
/** Who has used little waits so many times as long for a turn: what keeps it waiting is not its own. */
const LIGHT_WAIT_FACTOR = 6;

/** How a check ended: `killed` for its time or memory, `preempted` since others needed its thread. */
export type CheckEnd = 'done' | 'killed' | 'preempted';

/** The right to use a thread. */
export interface Turn {
  /** Aborted when others need the thread: the check is to be stopped, and to enter again. */
  readonly stop: AbortController;
  /** The thread has begun. */
  began(): void;
  /** `ms` is the time that the check took of its thread. */
  end(how: CheckEnd, ms: number): void;
}

/** A check that has its turn. `since` is Infinity until its thread has begun. */
interface RunningCheck {
  readonly tenant: string;
  readonly isHeavy: boolean;
  readonly stop: AbortController;
  since: number;
}

interface WaitingCheck {
  readonly begin: (turn: Turn) => void;
  readonly refuse: () => void;
}

/**
 * Gives tenants turns on the threads. One check of a tenant runs at once, and of the tenants that wait the one that has
 * used the least time of late is next. Tenants that have used much share one thread, so that others find one that is
 * free; of the checks that turn out to be long all but one lose their threads when others wait. Who has used too much
 * waits until it is paid off.
 */
export class CheckTurns {
  private readonly maxWaitMs: number;
  private readonly time = new CheckingTime();
  private readonly running = new Set<RunningCheck>();
  /** By tenant, in the order in which they came; a tenant without any has no entry. */
  private readonly waiting = new Map<string, Set<WaitingCheck>>();

  /** `maxWaitMs` is how long a tenant waits that has used much. */
  constructor(maxWaitMs: number) {
    this.maxWaitMs = maxWaitMs;
  }

  /** Waits for a turn of the tenant. Errors: `limit_checks`, when too many wait or its turn does not come in time. */
  enter(tenant: string): Promise<Turn> {
    if (!this.mayWait(tenant)) return Promise.reject(this.refusal(tenant));
    return new Promise((resolve, reject) => {
      const ofTenant = this.waiting.get(tenant) ?? new Set();
      this.waiting.set(tenant, ofTenant);
      const leave = () => {
        clearTimeout(timer);
        ofTenant.delete(check);
        if (ofTenant.size === 0) this.waiting.delete(tenant);
      };
      const check: WaitingCheck = {
        begin: (turn) => {
          leave();
          resolve(turn);
        },
        refuse: () => {
          leave();
          reject(this.refusal(tenant));
        },
      };
      const factor = this.time.isHeavy(tenant) ? 1 : LIGHT_WAIT_FACTOR;
      const timer = setTimeout(check.refuse, factor * this.maxWaitMs);
      ofTenant.add(check);
      this.beginNext();
    });
  }

  private mayWait(tenant: string): boolean {
    if (this.time.overdraft(tenant) > this.maxWaitMs) return false;
    const ofTenant = this.waiting.get(tenant);
    if (ofTenant !== undefined) return ofTenant.size < MAX_WAITING;
    if (!this.time.isHeavy(tenant)) return true;
    const heavy = [...this.waiting.keys()].filter((other) => this.time.isHeavy(other));
    return heavy.length < MAX_HEAVY_WAITING;
  }

  private beginNext(): void {
    for (let tenant = this.nextTenant(); tenant !== undefined; tenant = this.nextTenant()) {
      if (this.running.size >= MAX_RUNNING) return this.preemptFor(tenant);
      const [check] = this.waiting.get(tenant) ?? [];
      check?.begin(this.beginTurn(tenant));
    }
  }

  private nextTenant(): string | undefined {
    const busy = new Set([...this.running].map(({ tenant }) => tenant));
    const noHeavy = this.longChecks().length > 0;
    let next: string | undefined;
    for (const tenant of this.waiting.keys()) {
      if (busy.has(tenant) || this.time.overdraft(tenant) > 0) continue;
      if (noHeavy && this.time.isHeavy(tenant)) continue;
      if (next === undefined || this.time.used(tenant) < this.time.used(next)) next = tenant;
    }
    return next;
  }

  private beginTurn(tenant: string): Turn {
    const isHeavy = this.time.isHeavy(tenant);
    const check: RunningCheck = {
      tenant,
      isHeavy,
      stop: new AbortController(),
      since: Number.POSITIVE_INFINITY,
    };
    let becomesLong: NodeJS.Timeout | undefined;
    this.running.add(check);
    return {
      stop: check.stop,
      began: () => {
        check.since = performance.now();
        becomesLong = setTimeout(() => this.beginNext(), LONG_MS + 1).unref();
      },
      end: (how, ms) => {
        clearTimeout(becomesLong);
        this.running.delete(check);
        this.charge(tenant, how === 'killed' ? KILLED_FACTOR * ms : how === 'preempted' ? PREEMPTED_MS : ms);
        this.beginNext();
      },
    };
  }

  /** Whose turn cannot come within the time that anyone waits is refused at once. */
  private charge(tenant: string, ms: number): void {
    this.time.charge(tenant, ms);
    const pause = this.time.overdraft(tenant);
    if (pause > this.maxWaitMs) for (const check of this.waiting.get(tenant) ?? []) check.refuse();
    else if (pause > 0) setTimeout(() => this.beginNext(), pause + 1).unref();
  }

  /** Ends a long check for a tenant that has used little: of several, that of the tenant that has used the most. */
  private preemptFor(tenant: string): void {
    if (this.time.isHeavy(tenant)) return;
    const long = this.longChecks();
    if (long.length < 2 || long.some(({ stop }) => stop.signal.aborted)) return;
    const [most] = long.toSorted((a, b) => this.time.used(b.tenant) - this.time.used(a.tenant));
    most?.stop.abort();
  }

  private longChecks(): RunningCheck[] {
    const since = performance.now() - LONG_MS;
    return [...this.running].filter((check) => check.isHeavy || check.since <= since);
  }

  private refusal(tenant: string): BatonError {
    const retryAfterMs = Math.max(1_000, Math.ceil(this.time.overdraft(tenant)));
    return new BatonError(
      'limit_checks',
      "The tenant's schemas and answers take more time to check than it has now. Repeat later; simpler schemas take less.",
      { retryAfterMs },
    );
  }
}
