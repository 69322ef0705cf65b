import type { Writable } from 'node:stream';

/**
 * Commands leave in groups, one write each: a system call costs more than a command. What comes in one turn of the
 * event loop is a group, and while one is on its way, what comes meanwhile gathers and leaves when the first replies
 * are there. So at rest nothing waits, and the busier Redis is, the larger the groups.
 */
export class GroupedWrites {
  private corked: Writable | undefined;
  private gathered = 0;
  private unanswered = 0;

  /** Before a command is written to `stream`; `replied` is to be called once for each. */
  begin(stream: Writable): void {
    if (this.corked !== stream) {
      this.corked?.uncork();
      this.corked = stream;
      stream.cork();
      if (this.unanswered === 0) setImmediate(this.leave);
    }
    this.gathered++;
    this.unanswered++;
  }

  replied(): void {
    this.unanswered--;
    if (this.gathered === 0 || this.leaving) return;
    this.leaving = true;
    setImmediate(this.leave);
  }

  private leaving = false;
  private readonly leave = () => {
    this.leaving = false;
    const stream = this.corked;
    this.corked = undefined;
    this.gathered = 0;
    stream?.uncork();
  };
}
