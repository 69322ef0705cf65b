import {
  type AnsweredToolCall,
  answerAsMessage,
  type AttachableBlock,
  type ContentBlock,
  correctionMessages,
  describeBlock,
  extractText,
  type Message,
  toToolCall,
  truncate,
} from '@baton/protocol';
import type { AgentCall, FunctionRun } from './agent-call.ts';

/** An assistant's words beside its function calls stay in the dialog up to so many characters. */
const MAX_WORDS = 20_000;
/** Bytes of content of functions in all requests of a call: it stands in each that follows. */
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
  }

  /** The messages of the next request. `isLastStep`: functions were called, and may not be again. */
  messages(isLastStep: boolean): readonly Message[] {
    if (this.kept.length + this.branch.length === 0 && !isLastStep) return this.seed;
    return [...this.seed, ...this.kept, ...(isLastStep ? [FINAL_NOTE] : []), ...this.branch];
  }

  /** The exception branch: the answer and what is wrong with it, in the place of the branch before. */
  addException(data: unknown, problem: string): void {
    const correction = correctionMessages(data, problem);
    const said = this.handlers.exception?.(problem);
    this.branch = said === undefined ? correction : [...correction.slice(0, 1), ...said];
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
    this.kept = [...this.kept, turn, ...results.map((result) => this.toolMessage(result))];
    this.branch = [];
  }

  private toolMessage({ call, content }: FunctionRun): Message {
    const words = this.handlers.interrupt?.(call) ?? call.result_str;
    if (content.length === 0) return { role: 'tool', tool_call_id: call.id, content: words };
    const said = words === '' ? [] : [{ type: 'text', text: words }];
    const shown = content.map((block) => this.shown(block));
    return { role: 'tool', tool_call_id: call.id, content: [...said, ...shown] };
  }

  private shown(block: AttachableBlock): ContentBlock {
    const bytes = Buffer.byteLength(JSON.stringify(block));
    if (bytes > this.contentRoom)
      return { type: 'text', text: `${describeBlock(block).slice(0, -1)}, too large to be shown here]` };
    this.contentRoom -= bytes;
    return block;
  }

  /**
   * What the call adds to its dialog, ending with the answer. Content of functions is named only: whoever keeps the dialog has it in
   * the result too.
   */
  added(data: unknown): readonly Message[] {
    return [...this.kept.map(inWords), ...this.answered(data)];
  }

  /** An answer as the last message. */
  answered(data: unknown): readonly Message[] {
    return [{ role: 'assistant', content: answerAsMessage(data) }];
  }
}

/** A tool message with its blocks named instead of shown. */
function inWords(message: Message): Message {
  if (message.role !== 'tool' || typeof message.content === 'string') return message;
  const words = message.content.map((block) =>
    block.type === 'text' ? String(block['text']) : describeBlock(block as AttachableBlock),
  );
  return { ...message, content: words.join('\n') };
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
