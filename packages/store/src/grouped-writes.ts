import type { Writable } from 'node:stream';

/**
 * Commands leave in groups, one write each: a system call costs more than a command. What comes in one turn of the
 * event loop is a group, and while one is on its way, what comes meanwhile gathers and leaves when the first replies
 * are there. So at rest nothing waits, and the busier Redis is, the larger the groups.
 */
export class GroupedWrites {
  private stream: Writable | undefined;
  private corked = false;
  private leaving = false;
  private unanswered = 0;

  /** Before a command is written to `stream`; `replied` is to be called once for each. */
  begin(stream: Writable): void {
    if (this.stream !== stream) this.change(stream);
    // What is still in the stream would be held up by a cork, and no reply to it could ever lift that: a stream that is
    // behind gathers by itself.
    if (!this.corked && stream.writableLength === 0) {
      this.corked = true;
      stream.cork();
      if (this.unanswered === 0) this.leaveSoon();
    }
    this.unanswered++;
  }

  replied(stream: Writable): void {
    if (this.stream !== stream) return;
    this.unanswered--;
    if (this.corked) this.leaveSoon();
  }

  /** After a reconnection: what was on its way is the former stream's, and nobody may wait for its replies here. */
  private change(stream: Writable): void {
    if (this.corked) this.stream?.uncork();
    this.stream = stream;
    this.corked = false;
    this.unanswered = 0;
  }

  private leaveSoon(): void {
    if (this.leaving) return;
    this.leaving = true;
    setImmediate(() => {
      this.leaving = false;
      if (!this.corked) return;
      this.corked = false;
      this.stream?.uncork();
    });
  }
}
