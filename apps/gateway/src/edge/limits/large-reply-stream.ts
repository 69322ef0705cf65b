import { Readable } from 'node:stream';

/** A smaller reply is written whole: connections bound how many there are. */
export const LARGE_REPLY_BYTES = 65_536;
const PART_BYTES = 65_536;

/**
 * A large reply as a stream of parts, each of which is written when the one before was taken: what is not read is in memory once,
 * and whoever reads slowly is told from whoever does not read.
 */
export class LargeReplyStream extends Readable {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    super({ highWaterMark: 0 });
    this.bytes = bytes;
  }

  override _read(): void {
    if (this.at >= this.bytes.length) {
      this.push(null);
      return;
    }
    const part = this.bytes.subarray(this.at, this.at + PART_BYTES);
    this.at += part.length;
    this.push(part);
  }
}
