import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';

/** Of Redis's memory this share is kept for what was accepted: BullMQ takes no job in a full Redis. */
const RESERVE = 0.05;
const REFRESH_INTERVAL_MS = 1_000;

/** Looks at how full Redis is, and refuses what comes in from outside while only the reserve is left. */
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

  /** Reads how much memory each server uses and may use; a server without a limit is never low. */
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
