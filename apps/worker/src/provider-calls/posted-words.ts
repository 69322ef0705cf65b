import { truncate } from '@baton/protocol';

/** The words of so many milliseconds are one chunk, of so many characters at most. */
const CHUNK_MS = 200;
const MAX_CHUNK_CHARACTERS = 16_384;

/** Stores a chunk; 'refused' where no more of this answer is to be stored. */
export type PostChunk = (sequence: number, delta: string) => Promise<'kept' | 'refused'>;

/**
 * Stores the words of one answer as they come: at most one chunk in each 200 ms, so that an endpoint costs no more calls of Redis the
 * faster it writes. What was not stored by the end is in the answer. What cannot be stored now is tried again with the next words.
 */
export class PostedWords {
  private readonly post: PostChunk;
  private text = '';
  /** Characters of the text that are in chunks, and how many chunks those are. */
  private posted = 0;
  private chunks = 0;
  /** A chunk that was sent and not confirmed: it is sent again as it was, for it may have been stored. */
  private unconfirmed = '';
  private timer: NodeJS.Timeout | undefined;
  private posting: Promise<void> | undefined;
  private isOver = false;

  constructor(post: PostChunk) {
    this.post = post;
  }

  readonly add = (piece: string): void => {
    if (this.isOver) return;
    this.text += piece;
    this.schedule();
  };

  /** Stores nothing more. Returns whether an answer of this text begins with what was stored. */
  async end(text: string): Promise<boolean> {
    this.isOver = true;
    clearTimeout(this.timer);
    await this.posting;
    return text.startsWith(this.text.slice(0, this.posted + this.unconfirmed.length));
  }

  private schedule(): void {
    if (this.isOver || this.timer !== undefined || this.posted === this.text.length) return;
    this.timer = setTimeout(() => {
      this.posting = this.postNext();
    }, CHUNK_MS);
  }

  private async postNext(): Promise<void> {
    const next = truncate(this.text.slice(this.posted), MAX_CHUNK_CHARACTERS);
    // The second half of a surrogate pair may be still to come.
    this.unconfirmed ||= truncate(`${next} `, next.length).toWellFormed();
    try {
      if (this.unconfirmed !== '') await this.postUnconfirmed();
    } catch {
      // Redis is away.
    }
    this.timer = undefined;
    this.schedule();
  }

  private async postUnconfirmed(): Promise<void> {
    if ((await this.post(this.chunks, this.unconfirmed)) === 'refused') {
      this.isOver = true;
      return;
    }
    this.chunks++;
    this.posted += this.unconfirmed.length;
    this.unconfirmed = '';
  }
}
