import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';

/** The share of Redis's memory that is kept for accepted work: a full Redis takes no BullMQ job. */
const RESERVE = 0.05;
const REFRESH_INTERVAL_MS = 1_000;

/** Watches how full Redis is, and refuses new content while only the reserve is left. */
export class MemoryReserve {
  private readonly client: Redis | Cluster;
  private readonly timer: NodeJS.Timeout;
  private low = false;

  constructor(client: Redis | Cluster) {
    this.client = client;
    this.timer = setInterval(() => void this.refresh().catch(() => {}), REFRESH_INTERVAL_MS);
    this.timer.unref();
  }

  /** Errors: `unavailable`, with nothing sent. */
  refuseIncoming(): void {
    if (!this.low) return;
    throw new BatonError(
      'unavailable',
      'Redis cannot take this now (its memory is full but for what accepted work needs). Nothing was changed and nothing is lost; repeat the call.',
      { taken: false },
    );
  }

  /** Reads each server's used_memory and maxmemory; a server without a limit is never low. */
  async refresh(): Promise<void> {
    const servers = this.client instanceof Cluster ? this.client.nodes('master') : [this.client];
    const infos = await Promise.all(servers.map((server) => server.info('memory')));
    this.low = infos.some((info) => {
      const [used, most] = [infoNumber(info, 'used_memory'), infoNumber(info, 'maxmemory')];
      return most > 0 && used > most * (1 - RESERVE);
    });
  }

  close(): void {
    clearInterval(this.timer);
  }
}

function infoNumber(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
