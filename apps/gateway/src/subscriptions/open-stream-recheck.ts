import { BatonError } from '@baton/protocol';
import type { Identity } from '@baton/store';
import { isPermanentRefusal } from '../call/error-classification.ts';
import { SetMultimap } from './set-multimap.ts';
import type { NotificationStream } from './notification-stream.ts';
import type { StreamHolder } from './stream-holder.ts';

/**
 * `idle`: every stream's identity is that of the last check. `due`: a check failed for want of Redis. `running`: a check is
 * under way. `outdated`: it is, and something changed after it began.
 */
type State = 'idle' | 'due' | 'running' | 'outdated';

/** Checks that those who hold streams would be admitted now, and closes the streams of those who would not. */
export class OpenStreamRecheck {
  private readonly streams: () => Iterable<NotificationStream>;
  private readonly identityOf: (holder: StreamHolder) => Promise<Identity>;
  private state: State = 'idle';

  constructor(
    streams: () => Iterable<NotificationStream>,
    identityOf: (holder: StreamHolder) => Promise<Identity>,
  ) {
    this.streams = streams;
    this.identityOf = identityOf;
  }

  /** True when the last check could not be finished: it is to be run again. */
  get isDue(): boolean {
    return this.state === 'due';
  }

  /** Checks all streams. Where a check is under way already, that one begins anew when it ends. Never rejects. */
  async run(): Promise<void> {
    if (this.state === 'running' || this.state === 'outdated') {
      this.state = 'outdated';
      return;
    }
    for (;;) {
      this.state = 'running';
      if (!(await this.checkAll())) {
        this.state = 'due';
        return;
      }
      if (!this.isOutdated()) break;
    }
    this.state = 'idle';
  }

  private isOutdated(): boolean {
    return this.state === 'outdated';
  }

  /** False when Redis could not be asked of some. Each holder is asked for once, however many streams it opened. */
  private async checkAll(): Promise<boolean> {
    const byHolder = new SetMultimap<string, NotificationStream>();
    for (const stream of this.streams()) byHolder.add(stream.holder.id, stream);
    const checked = await Promise.all([...byHolder.sets()].map((streams) => this.checkHolder(streams)));
    return !checked.includes(false);
  }

  private async checkHolder(streams: ReadonlySet<NotificationStream>): Promise<boolean> {
    const [first] = streams;
    if (first === undefined) return true;
    try {
      const identity = await this.identityOf(first.holder);
      for (const stream of streams) stream.setIdentity(identity);
      return true;
    } catch (error) {
      if (!(error instanceof BatonError && isPermanentRefusal(error))) return false;
      for (const stream of streams) stream.close();
      return true;
    }
  }
}
