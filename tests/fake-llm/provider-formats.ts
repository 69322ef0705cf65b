import type { AnyJson } from '../harness/mcp-client.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

/** What the fake model returns. */
interface ModelOutput {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** One of the two APIs: how a request is read, and how a completion, a stream and an error are written. */
export interface ProviderFormat {
  readonly api: 'openai' | 'anthropic';
  parseRequest(body: AnyJson): { system: string; messages: AnyJson[] };
  completion(model: string, said: ModelOutput): object;
  streamEvents(model: string, said: ModelOutput): string[];
  errorBody(status: number, message: string): object;
}

const USAGE = { input: 21, output: 13 };

export const openaiFormat: ProviderFormat = {
  api: 'openai',
  parseRequest(body) {
    const system = body.messages.filter((message: AnyJson) => message.role === 'system');
    return {
      system: system.map((message: AnyJson) => message.content).join('\n'),
      messages: body.messages.filter((message: AnyJson) => message.role !== 'system'),
    };
  },
  completion(model, { text, toolCalls }) {
    const message = { role: 'assistant', content: text, ...toolCallFields(toolCalls) };
    return {
      id: 'chat-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }],
      usage: {
        prompt_tokens: USAGE.input,
        completion_tokens: USAGE.output,
        total_tokens: USAGE.input + USAGE.output,
      },
    };
  },
  streamEvents(model, { text, toolCalls }) {
    const chunk = (delta: object, finish: string | null = null) => ({
      id: 'chat-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const usage = {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output },
    };
    const events = [
      chunk({ role: 'assistant', content: '' }),
      ...splitText(text).map((content) => chunk({ content })),
      ...toolCalls.map((call, index) =>
        chunk({ tool_calls: [{ index, ...toolCallFields([call]).tool_calls?.[0] }] }),
      ),
      chunk({}, toolCalls.length > 0 ? 'tool_calls' : 'stop'),
      usage,
    ];
    return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  },
  errorBody: (status, message) => ({ error: { message, type: `error_${status}`, code: null } }),
};

export const anthropicFormat: ProviderFormat = {
  api: 'anthropic',
  parseRequest: (body) => ({
    system: (body.system ?? []).map((block: AnyJson) => block.text).join('\n'),
    messages: body.messages,
  }),
  completion(model, { text, toolCalls }) {
    return {
      id: 'msg-1',
      type: 'message',
      role: 'assistant',
      model,
      content: contentBlocks(text, toolCalls),
      stop_reason: toolCalls.length > 0 ? 'tool_use' : 'end_turn',
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
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...splitText(said.text).map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
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

function contentBlocks(text: string, toolCalls: readonly ToolCall[]) {
  const uses = toolCalls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...uses];
}

function splitText(text: string): string[] {
  return text.match(/.{1,6}/gs) ?? [];
}
