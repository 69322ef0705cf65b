import type { AnyJson } from '../harness/mcp-client.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

/** What the fake model returns. */
export interface ModelOutput {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly images?: readonly string[] | undefined;
  readonly logprobs?: readonly object[] | undefined;
  readonly withoutUsage?: boolean | undefined;
  /** Why the reply ends, in the API's own words. */
  readonly finishReason?: string | undefined;
  /** OpenAI's field of a model that will not answer. */
  readonly refusal?: string | undefined;
}

/** One of the APIs: how a request is read, and how a completion, a stream and an error are written. */
export interface ProviderFormat {
  readonly api: 'openai' | 'openai-responses' | 'anthropic';
  parseRequest(body: AnyJson): { system: string; messages: AnyJson[] };
  completion(model: string, said: ModelOutput): object;
  streamEvents(model: string, said: ModelOutput): string[];
  errorBody(status: number, message: string): object;
  /** Why the real API refuses a request of this form, if it does. */
  refusalOf?(body: AnyJson): string | undefined;
}

export const USAGE = { input: 21, output: 13 };
const OPENAI_USAGE = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};

/** What names of functions are made of, and Anthropic's ids of calls. */
const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

export const openaiFormat: ProviderFormat = {
  api: 'openai',
  refusalOf({ messages }) {
    const calls = messages.flatMap((message: AnyJson) => message.tool_calls ?? []);
    return calls.every((call: AnyJson) => PLAIN.test(call.function.name))
      ? undefined
      : "messages.tool_calls.function.name: string does not match '^[a-zA-Z0-9_-]+$'";
  },
  parseRequest(body) {
    const system = body.messages.filter((message: AnyJson) => message.role === 'system');
    return {
      system: system.map((message: AnyJson) => message.content).join('\n'),
      messages: body.messages.filter((message: AnyJson) => message.role !== 'system'),
    };
  },
  completion(model, { text, toolCalls, images, logprobs, withoutUsage, finishReason, refusal }) {
    const said = refusal === undefined ? { content: text } : { content: null, refusal };
    const message = { role: 'assistant', ...said, ...toolCallFields(toolCalls), ...imageFields(images) };
    return {
      id: 'chat-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [
        {
          index: 0,
          message,
          finish_reason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
          ...logprobFields(logprobs),
        },
      ],
      ...(withoutUsage === true ? {} : { usage: OPENAI_USAGE }),
    };
  },
  streamEvents(model, { text, toolCalls, images, logprobs, withoutUsage, finishReason, refusal }) {
    const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
      id: 'chat-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish, ...more }],
    });
    const usage = {
      ...chunk({}),
      choices: [],
      usage: OPENAI_USAGE,
    };
    const events = [
      chunk({ role: 'assistant', content: '' }),
      ...splitText(refusal ?? text).map((piece) =>
        chunk(refusal === undefined ? { content: piece } : { refusal: piece }),
      ),
      // Each token in an event of its own, as they come.
      ...(logprobs ?? []).map((token) => chunk({ content: '' }, null, logprobFields([token]))),
      ...toolCalls.map((call, index) =>
        chunk({ tool_calls: [{ index, ...toolCallFields([call]).tool_calls?.[0] }] }),
      ),
      ...(images ?? []).map((image) => chunk(imageFields([image]))),
      chunk({}, finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
      ...(withoutUsage === true ? [] : [usage]),
    ];
    return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  },
  errorBody: (status, message) => ({ error: { message, type: `error_${status}`, code: null } }),
};

export const anthropicFormat: ProviderFormat = {
  api: 'anthropic',
  refusalOf({ messages, tools }) {
    const blocks = messages.flatMap(({ content }: AnyJson) => content);
    const isOfTools = blocks.some(({ type }: AnyJson) => type === 'tool_use' || type === 'tool_result');
    if (blocks.some(({ type, text }: AnyJson) => type === 'text' && text.trim() === ''))
      return 'messages: text content blocks must contain non-whitespace text';
    if (
      blocks.some(
        ({ type, id, name }: AnyJson) => type === 'tool_use' && !(PLAIN.test(id) && PLAIN.test(name)),
      )
    )
      return "tool_use: String should match pattern '^[a-zA-Z0-9_-]+$'";
    return isOfTools && (tools ?? []).length === 0
      ? 'Requests which include `tool_use` or `tool_result` blocks must define tools'
      : undefined;
  },
  parseRequest: (body) => ({
    system: (body.system ?? []).map((block: AnyJson) => block.text).join('\n'),
    messages: body.messages,
  }),
  completion(model, { text, toolCalls, finishReason }) {
    return {
      id: 'msg-1',
      type: 'message',
      role: 'assistant',
      model,
      content: contentBlocks(text, toolCalls),
      stop_reason: finishReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    };
  },
  streamEvents(model, said) {
    const message = {
      ...this.completion(model, said),
      content: [],
      stop_reason: null,
      usage: { input_tokens: USAGE.input, output_tokens: 1 },
    };
    const blocks = contentBlocks(said.text, said.toolCalls).flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: 'text' in block ? { ...block, text: '' } : { ...block, input: {} },
      },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]);
    const { stop_reason } = this.completion(model, said) as AnyJson;
    const events = [
      { type: 'message_start', message },
      ...blocks,
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: USAGE.output },
      },
      { type: 'message_stop' },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  errorBody: (status, message) => ({ type: 'error', error: { type: `error_${status}`, message } }),
};

function toolCallFields(toolCalls: readonly ToolCall[]) {
  if (toolCalls.length === 0) return {};
  const made = toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  return { tool_calls: made };
}

function imageFields(images: readonly string[] = []) {
  if (images.length === 0) return {};
  const urls = images.map((data) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${data}` },
  }));
  return { images: urls };
}

function logprobFields(tokens: readonly object[] | undefined) {
  return tokens === undefined ? {} : { logprobs: { content: tokens } };
}

type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

function contentBlocks(text: string, toolCalls: readonly ToolCall[]): ContentBlock[] {
  const uses = toolCalls.map(
    ({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }) as const,
  );
  return [...(text === '' ? [] : [{ type: 'text', text } as const]), ...uses];
}

/** A block as it is streamed: words, or JSON in pieces. */
function deltasOf(block: ContentBlock): object[] {
  if (block.type === 'text') return splitText(block.text).map((text) => ({ type: 'text_delta', text }));
  const pieces = splitText(JSON.stringify(block.input));
  return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}

export function splitText(text: string): string[] {
  return text.match(/.{1,6}/gs) ?? [];
}
