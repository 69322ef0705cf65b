import {
  type AnsweredToolCall,
  answerAsMessage,
  type AttachableBlock,
  type ContentBlock,
  correctionMessages,
  describeBlock,
  extractText,
  type Message,
  readAttachableBlocks,
  toToolCall,
  truncate,
} from '@baton/protocol';
import type { AgentCall, FunctionRun } from './agent-call.ts';

/** An assistant's words beside its function calls, and of an answer that cannot be used, stay in the dialog up to so many characters. */
const MAX_WORDS = 20_000;
/** Bytes of content of answers and functions that the dialog of a call keeps: it stands in each request that follows. */
const MAX_CONTENT_BYTES = 131_072;
const FINAL_NOTE: Message = {
  role: 'user',
  content: 'No function can be called any more. Give your final answer now, in words, from what you know.',
};

/**
 * The dialog of one call: the messages it began with, the turns with function calls, which stay, and the exception
 * branch: the last answer that could not be used and what was said about it. The branch leaves with the next answer.
 */
export class Dialog {
  private readonly seed: readonly Message[];
  private readonly handlers: NonNullable<AgentCall<unknown>['handlers']>;
  private readonly ids = new Set<string>();
  private kept: readonly Message[] = [];
  private branch: readonly Message[] = [];
  private contentRoom = MAX_CONTENT_BYTES;

  constructor({ messages, parser, handlers = {} }: AgentCall<unknown>) {
    this.seed =
      parser.instructions === undefined ? messages : withInstructions(messages, parser.instructions);
    this.handlers = handlers;
    for (const message of messages)
      if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) this.ids.add(id);
  }

  /** The messages of the next request. `isLastStep`: functions were called, and may not be again. */
  messages(isLastStep: boolean): readonly Message[] {
    if (this.kept.length + this.branch.length === 0 && !isLastStep) return this.seed;
    return [...this.seed, ...this.kept, ...(isLastStep ? [FINAL_NOTE] : []), ...this.branch];
  }

  /** The exception branch: the answer and what is wrong with it, in the place of the branch before. */
  addException(data: unknown, problem: string): void {
    const said = this.handlers.exception?.(problem) ?? correctionMessages(data, problem).slice(1);
    // The branch leaves again, and its content takes no room from what stays.
    const { contentRoom } = this;
    this.branch = [this.answered(data, MAX_WORDS), ...said];
    this.contentRoom = contentRoom;
  }

  /** Calls with ids that no earlier turn of this call has: endpoints refuse a dialog that repeats one. */
  withFreshIds(calls: readonly AnsweredToolCall[]): readonly AnsweredToolCall[] {
    const given = new Set(calls.map(({ id }) => id));
    return calls.map((call) => {
      let { id } = call;
      for (let copy = 2; this.ids.has(id) || (id !== call.id && given.has(id)); copy++)
        id = `${call.id}_${copy}`;
      this.ids.add(id);
      return id === call.id ? call : { ...call, id };
    });
  }

  /** The interrupt branch: the assistant's calls, and a tool message for each of them, in their order: endpoints refuse a dialog without one. */
  addInterrupt(data: unknown, calls: readonly AnsweredToolCall[], results: readonly FunctionRun[]): void {
    const words = extractText(data);
    const turn: Message = {
      role: 'assistant',
      content: words.ok && words.value !== '' ? truncate(words.value, MAX_WORDS) : null,
      tool_calls: calls.map(toToolCall),
    };
    const called = this.withContent(turn, readAttachableBlocks(data).blocks);
    this.kept = [...this.kept, called, ...results.map((result) => this.toolMessage(result))];
    this.branch = [];
  }

  private toolMessage({ call, content }: FunctionRun): Message {
    const words = this.handlers.interrupt?.(call) ?? call.result_str;
    return this.withContent({ role: 'tool', tool_call_id: call.id, content: words }, content);
  }

  /** A message of words with content behind them: shown as far as the call has room, and named beyond that. */
  private withContent<M extends Message>(message: M, blocks: readonly AttachableBlock[]): M {
    if (blocks.length === 0) return message;
    const { content: words } = message;
    const said = typeof words !== 'string' || words === '' ? [] : [{ type: 'text', text: words }];
    return { ...message, content: [...said, ...blocks.map((block) => this.shown(block))] };
  }

  private shown(block: AttachableBlock): ContentBlock {
    const bytes = Buffer.byteLength(JSON.stringify(block));
    if (bytes > this.contentRoom)
      return { type: 'text', text: `${describeBlock(block).slice(0, -1)}, too large to be shown here]` };
    this.contentRoom -= bytes;
    return block;
  }

  /** What the call adds to its dialog, ending with the answer. */
  added(data: unknown): readonly Message[] {
    return [...this.kept, this.answered(data)];
  }

  /** An answer as the assistant's turn, with so many characters of its words. */
  answered(data: unknown, longest = Number.POSITIVE_INFINITY): Message {
    const { blocks } = readAttachableBlocks(data);
    const text = extractText(data);
    // Without words the blocks are all that it says.
    const words = blocks.length > 0 ? (text.ok ? text.value : '') : answerAsMessage(data);
    return this.withContent({ role: 'assistant', content: truncate(words, longest) }, blocks);
  }
}

function withInstructions(messages: readonly Message[], instructions: string): readonly Message[] {
  const at = messages.findIndex(({ role }) => role === 'system');
  const system = messages[at];
  if (system === undefined) return [{ role: 'system', content: instructions }, ...messages];
  const { content } = system;
  const told: Message = {
    role: 'system',
    content:
      typeof content === 'string'
        ? `${content}\n\n${instructions}`
        : [...(content ?? []), { type: 'text', text: instructions }],
  };
  return messages.map((message, index) => (index === at ? told : message));
}
