import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { createGuardedFetch, guardedLookup } from './guarded-fetch.ts';
import { ReceiveLimit } from './receive-limit.ts';
import { ReplyBudget } from './reply-budget.ts';
import { ReplyThrottle } from './reply-throttle.ts';

/** So many bytes of a reply's header are read. */
const MAX_HEADER_BYTES = 65_536;

/** A connection that no call uses is kept for so long, in milliseconds: shorter than servers keep theirs, the shortest of them 5 s. */
const IDLE_MS = 2_000;

/** No call begins on a connection that is older, in milliseconds: its name is looked up, and its address checked, once more. */
const MAX_AGE_MS = 30_000;

interface Connections {
  readonly agent: Agent;
  readonly throttle: ReplyThrottle;
  calls: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The connections to LLM endpoints that a worker keeps between calls, apart for each tenant and each origin (scheme, host and port). Each goes to
 * an address that the guard allowed when it was opened. There are at most as many as the tenant had calls under way in
 * the last 2 s: a worker bounds those of all tenants, and `providerCalls` those of one.
 */
export class TenantConnections {
  private readonly guard: AddressGuard;
  private readonly tenants = new Map<string, Connections>();

  private readonly memory: ReplyBudget;

  /** @param memory of all tenants' replies. */
  constructor(guard: AddressGuard, memory = new ReplyBudget()) {
    this.guard = guard;
    this.memory = memory;
  }

  /** A guarded `fetch` on a tenant's connections, whose replies come at the tenant's pace, for use within its calls. */
  fetchOf(tenant: string): typeof fetch {
    const send = createGuardedFetch(this.guard, () => this.of(tenant).agent);
    return async (input, init) =>
      this.of(tenant).throttle.of(await send(input, init), init?.signal ?? undefined);
  }

  /** Makes a call of a tenant, whose connections stay until it has ended, and a little longer. */
  async during<T>(tenant: string, call: () => Promise<T>): Promise<T> {
    const connections = this.of(tenant);
    connections.calls++;
    clearTimeout(connections.idle);
    try {
      return await call();
    } finally {
      connections.calls--;
      if (connections.calls === 0) this.closeWhenIdle(tenant, connections);
    }
  }

  private closeWhenIdle(tenant: string, connections: Connections): void {
    connections.idle = setTimeout(() => {
      this.tenants.delete(tenant);
      void connections.agent.destroy();
    }, IDLE_MS).unref();
  }

  private of(tenant: string): Connections {
    const kept = this.tenants.get(tenant);
    if (kept !== undefined) return kept;
    const agent = new Agent({
      connect: limitedConnector(this.guard),
      // One request at a time on each.
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      clientTtl: MAX_AGE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const opened = { agent, throttle: new ReplyThrottle(tenant, this.memory), calls: 0, idle: undefined };
    this.tenants.set(tenant, opened);
    return opened;
  }
}

/** Dials what the guard allows, and bounds what all of its connections receive. */
function limitedConnector(guard: AddressGuard): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(guard) });
  const limit = new ReceiveLimit();
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      limit.watch(socket);
      callback(null, socket);
    });
}
