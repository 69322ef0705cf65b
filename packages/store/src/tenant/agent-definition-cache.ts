import { LRUCache } from 'lru-cache';
import type { DefinitionEntry, StoredDefinition } from './definition-entry.ts';

/** What programs read of agents. */
export interface AgentSource {
  entries(): Promise<{ entries: DefinitionEntry[]; primary: string | undefined; revision: string }>;
  /** The newest version. Errors: `agent_not_found`. */
  read(name: string): Promise<{ stored: StoredDefinition; entry: DefinitionEntry & { isPrimary: boolean } }>;
}

/** A process keeps the agents of so many tenants, of each so many characters, and for so long, in milliseconds. */
const MAX_TENANTS = 128;
const MAX_LENGTH = 262_144;
/** After a failover a revision may come a second time: what was read is not kept for longer than this. */
const KEPT_MS = 10_000;

/**
 * Agents as a process has read them, by the tenant's `agentChanges`: each change of an agent raises that, and a script that a call
 * or a segment begins with tells it. So what is read here is as it was then, or newer, and mostly no call to Redis.
 */
export class AgentDefinitionCache {
  private readonly cached = new LRUCache<string, Snapshot>({ max: MAX_TENANTS });

  /** A tenant's agents as they were at `revision`, or newer. */
  at(tenant: string, revision: number, agents: AgentSource): AgentSource {
    const known = this.cached.get(tenant);
    if (known !== undefined && known.revision >= revision && performance.now() - known.since < KEPT_MS)
      return known;
    const snapshot = new Snapshot(revision, agents);
    this.cached.set(tenant, snapshot);
    return snapshot;
  }
}

class Snapshot implements AgentSource {
  readonly revision: number;
  readonly since = performance.now();
  private readonly agents: AgentSource;
  private readonly kept = new Map<string, Promise<unknown>>();
  private length = 0;

  constructor(revision: number, agents: AgentSource) {
    this.revision = revision;
    this.agents = agents;
  }

  entries(): ReturnType<AgentSource['entries']> {
    return this.keep('', () => this.agents.entries());
  }

  read(name: string): ReturnType<AgentSource['read']> {
    return this.keep(name, () => this.agents.read(name));
  }

  /** Reads that run at once are one. What failed, or is too much to keep, is read again. */
  private keep<T>(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.kept.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = read();
    this.kept.set(name, reading);
    reading.then(
      (value) => {
        this.length += JSON.stringify(value).length;
        if (this.length > MAX_LENGTH) this.kept.delete(name);
      },
      () => this.kept.delete(name),
    );
    return reading;
  }
}
