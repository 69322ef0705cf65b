import type { PendingAge } from './queries/pending-ages.ts';
import { mastersOf } from './redis/redis-client.ts';
import { toUnavailable } from './redis/redis-errors.ts';
import { readReadiness } from './readiness.ts';
import { readRedisReport } from './redis-report.ts';
import { storeInternalsOf } from './store-internals.ts';
import type { Store } from './store.ts';

/** What runs of a deployment, and what its queues hold. */
export interface OperatorStatus {
  readonly redis: {
    readonly version: string;
    readonly appendOnly: boolean;
    readonly usedMemoryBytes: number;
    /** 0 for no limit. */
    readonly maxMemoryBytes: number;
    /** What it refuses now, and why; absent while it takes everything. */
    readonly refuses?: string;
  };
  /** Processes that live, by name. */
  readonly gateways: readonly string[];
  readonly workers: readonly string[];
  readonly queues: readonly {
    readonly queue: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** `s<shard>:<queue>` each. */
  readonly pausedQueues: readonly string[];
  /** How long the oldest job that resumes tasks has waited for a worker; absent where none waits. */
  readonly resumeLagMs?: number;
  readonly pending: readonly PendingAge[];
}

/** A job that BullMQ runs no more. */
export interface FailedJob {
  /** `s<shard>:<queue>:<BullMQ's id>` */
  readonly id: string;
  readonly queue: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly failedAt: number | undefined;
  readonly attempts: number;
  readonly tenant: string | undefined;
}

/** So many failed jobs of each queue are looked at. */
const MOST_OF_QUEUE = 50;

/** The state of a whole deployment, for its operator. */
export class DeploymentStatus {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Errors: `unavailable`. */
  async read(): Promise<OperatorStatus> {
    const { connection, keyspace, queues } = storeInternalsOf(this.store);
    const [report, readiness, processes, counts, pausedQueues, resumeLagMs, pending] = await Promise.all([
      readRedisReport(connection, keyspace.prefix),
      readReadiness(this.store),
      this.processes(),
      queues.jobCounts(),
      queues.pausedQueues(),
      this.store.resumeLag(),
      this.store.pendingByAge(),
    ]);
    const { version, appendOnly, usedMemoryBytes, maxMemoryBytes } = report;
    const { status, refuses: forWantOfMemory } = readiness.body;
    const refuses =
      readiness.status === 503
        ? `every write (${status})`
        : forWantOfMemory && `${forWantOfMemory} (only its reserve of memory is left)`;
    const workers = [...new Set(report.workers.map(replicaOf))];
    const sums = new Map<string, { queue: string; state: string; count: number }>();
    for (const { queue, state, count } of counts) {
      const sum = sums.get(`${queue} ${state}`) ?? { queue, state, count: 0 };
      sums.set(`${queue} ${state}`, { ...sum, count: sum.count + count });
    }
    return {
      redis: {
        version,
        appendOnly,
        usedMemoryBytes,
        maxMemoryBytes,
        ...(refuses !== undefined && { refuses }),
      },
      gateways: processes.filter((name) => !workers.includes(name)).toSorted(),
      workers: workers.toSorted(),
      queues: [...sums.values()],
      pausedQueues,
      ...(resumeLagMs !== undefined && { resumeLagMs }),
      pending,
    };
  }

  /** The newest jobs of every queue that failed for good. Errors: `unavailable`. */
  async failedJobs(): Promise<FailedJob[]> {
    const { queues } = storeInternalsOf(this.store);
    const found = await Promise.all(
      queues.allQueues.map(async ({ shard, name, queue }) => {
        const jobs = await queue.getFailed(0, MOST_OF_QUEUE - 1);
        return jobs.map((job) => ({
          id: `s${shard}:${name}:${job.id}`,
          queue: name,
          reason: job.failedReason ?? '',
          failedAt: job.finishedOn,
          attempts: job.attemptsMade,
          tenant: (job.data as { tenant?: string }).tenant,
        }));
      }),
    ).catch((error: unknown) => Promise.reject(toUnavailable(error)));
    return found.flat().toSorted((a, b) => (b.failedAt ?? 0) - (a.failedAt ?? 0));
  }

  /** Each process holds an inbox, whose channel has its name. */
  private async processes(): Promise<string[]> {
    const { connection, keyspace } = storeInternalsOf(this.store);
    const beginning = keyspace.inbox('');
    const channels = await connection.command((client) =>
      Promise.all(mastersOf(client).map((node) => node.pubsub('CHANNELS', `${beginning}*`))),
    );
    return [...new Set(channels.flat().map((channel) => String(channel).slice(beginning.length)))];
  }
}

/** A worker registers under its replica's name and a suffix, since two may share the name. */
function replicaOf(worker: string): string {
  return worker.slice(0, worker.lastIndexOf('.'));
}
