import {
  type AttachableBlock,
  type JsonObject,
  MAX_RESULT_BLOCKS,
  MAX_RESULT_CONTENT_LENGTH,
} from '@baton/protocol';

/** Blocks that a task's result carries beside the program's own fields, and how many more there were. */
export interface Content {
  readonly blocks: readonly AttachableBlock[];
  /** Blocks that could not be read, or for which there was no room. */
  readonly dropped: number;
}

/** Gathers content in the order of the program, whatever the order of the answers, within the bounds of a result. */
export class ResultContent {
  private readonly blocks: AttachableBlock[] = [];
  private length = 0;
  private dropped = 0;

  add(blocks: readonly AttachableBlock[], dropped: number): void {
    this.dropped += dropped;
    for (const block of blocks) {
      const length = this.length + JSON.stringify(block).length;
      if (this.blocks.length === MAX_RESULT_BLOCKS || length > MAX_RESULT_CONTENT_LENGTH) {
        this.dropped++;
        continue;
      }
      this.length = length;
      this.blocks.push(block);
    }
  }

  /** Undefined where nothing was added. */
  get content(): Content | undefined {
    const { blocks, dropped } = this;
    return blocks.length === 0 && dropped === 0 ? undefined : { blocks, dropped };
  }
}

/** A result with the content that its answers brought; one that tells of content itself stays as it is. */
export function withContent(result: JsonObject, content: Content | undefined): JsonObject {
  if (content === undefined || Object.hasOwn(result, 'content')) return result;
  const { blocks, dropped } = content;
  return {
    ...result,
    ...(blocks.length === 0 ? {} : { content: blocks as unknown as JsonObject[] }),
    ...(dropped === 0 ? {} : { droppedContent: dropped }),
  };
}
