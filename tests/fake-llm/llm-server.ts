import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AnyJson } from '../harness/mcp-client.ts';
import { anthropicFormat, openaiFormat, type ProviderFormat, type ToolCall } from './provider-formats.ts';
import { responsesFormat } from './responses-format.ts';

/** One request as an LLM endpoint sees it. */
export interface LlmCall {
  readonly api: ProviderFormat['api'];
  readonly model: string;
  readonly system: string;
  /** The messages after the system message, in the API's own format. */
  readonly messages: AnyJson[];
  /** The text of the first user message, by which tests identify an interaction. */
  readonly topic: string;
  /** 1 for the first call about this topic. */
  readonly attempt: number;
  readonly body: AnyJson;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/** What the endpoint does with a call. */
export type LlmBehaviour =
  | {
      readonly do: 'say';
      readonly text?: string;
      readonly toolCalls?: readonly ToolCall[];
      /** What the model drew, in base64; of chat completions. */
      readonly images?: readonly string[];
      /** The tokens of the answer with their logprobs, in OpenAI's form. */
      readonly logprobs?: readonly object[];
      /** The model that the reply names; by default the one that was asked for. */
      readonly model?: string;
      /** The reply does not say what it used. */
      readonly withoutUsage?: boolean;
      /** Why the reply ends, in the API's own words: `length` or `max_tokens` where its limit cut it off. */
      readonly finishReason?: string;
      /** OpenAI's field of a model that will not answer, beside `content: null`. */
      readonly refusal?: string;
      /** It ignores that a stream was asked for. */
      readonly whole?: boolean;
      readonly afterMs?: number;
      /** The reply comes after this. */
      readonly after?: Promise<unknown>;
      /** The second half of a stream comes after this. */
      readonly halfway?: Promise<unknown>;
      /** So many milliseconds lie between the events of a stream. */
      readonly everyMs?: number;
    }
  | {
      readonly do: 'refuse';
      readonly status: number;
      readonly message?: string;
      readonly headers?: Record<string, string>;
      /** The refusal comes after this. */
      readonly after?: Promise<unknown>;
    }
  /** Status 200 with a body that is not JSON, by default half of one. */
  | { readonly do: 'garble'; readonly body?: string; readonly contentType?: string }
  /** Sends half an answer, then closes the connection. */
  | { readonly do: 'stop-halfway'; readonly text?: string }
  /** Resets the connection, before the reply or after half of it. */
  | { readonly do: 'reset'; readonly halfway?: boolean }
  /** Sends an answer without an end, as fast as it is read. */
  | { readonly do: 'flood' }
  /** Never answers. */
  | { readonly do: 'hang' };

/** What an agent asks to tell a failure of the endpoint from one of a request. */
export const PROBE_TOPIC = 'Answer with the word yes.';

/** An HTTP server with OpenAI's chat completions and responses and Anthropic's messages API; the test decides how each call ends. */
export class FakeLlmServer {
  /** Calls about something; those that only ask whether the endpoint answers are counted in `probes`. */
  readonly calls: LlmCall[] = [];
  probes = 0;
  behaviour: (asked: LlmCall) => LlmBehaviour;
  /** What an agent's probe is answered, which asks whether the endpoint answers at all. */
  probeBehaviour: (asked: LlmCall) => LlmBehaviour = () => VALID_ANSWER;
  private readonly server: Server;
  /** Bytes of floods that were sent so far. */
  floodedBytes = 0;
  private readonly waiting = new Set<() => void>();
  private readonly callCounts = new Map<string, number>();

  private constructor(manner: (asked: LlmCall) => LlmBehaviour) {
    this.behaviour = manner;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(manner: (asked: LlmCall) => LlmBehaviour = () => VALID_ANSWER): Promise<FakeLlmServer> {
    const llm = new FakeLlmServer(manner);
    llm.server.listen(0, '127.0.0.1');
    await once(llm.server, 'listening');
    return llm;
  }

  /** The base URL, as both providers take it. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** How many calls there were about a topic. */
  countCalls(topic: string): number {
    return this.callCounts.get(topic) ?? 0;
  }

  callsAbout(topic: string): LlmCall[] {
    return this.calls.filter((one) => one.topic === topic);
  }

  /** Waits until the calls so far satisfy the predicate. */
  async waitUntil(holds: (asked: readonly LlmCall[]) => boolean): Promise<void> {
    while (!holds(this.calls)) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** How many calls are under way: their connections are open, and they have no answer. */
  openCalls = 0;

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = formatOf(request.url ?? '');
    const asked = this.recordCall(wire, request, JSON.parse(await readBody(request)));
    this.openCalls++;
    response.once('close', () => this.openCalls--);
    const refusal = wire.refusalOf?.(asked.body);
    const behaviour = asked.topic === PROBE_TOPIC ? this.probeBehaviour : this.behaviour;
    const manner: LlmBehaviour =
      refusal === undefined ? behaviour(asked) : { do: 'refuse', status: 400, message: refusal };
    for (const wake of this.waiting) wake();
    this.waiting.clear();
    switch (manner.do) {
      case 'hang':
        return;
      case 'refuse':
        await manner.after;
        response.writeHead(manner.status, { 'content-type': 'application/json', ...manner.headers });
        response.end(JSON.stringify(wire.errorBody(manner.status, manner.message ?? 'no')));
        return;
      case 'flood':
        return this.flood(response);
      case 'garble':
        response
          .writeHead(200, { 'content-type': manner.contentType ?? 'application/json' })
          .end(manner.body ?? '{"id": "x", "choi');
        return;
      case 'reset':
        if (manner.halfway === true) await writeHalf(wire, asked, response);
        (response.socket as Socket).resetAndDestroy();
        return;
      case 'stop-halfway':
        await writeHalf(wire, asked, response, manner.text);
        response.end();
        return;
      case 'say': {
        await manner.after;
        if (manner.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, manner.afterMs));
        const output = {
          text: manner.text ?? validText(asked),
          toolCalls: manner.toolCalls ?? [],
          images: manner.images,
          logprobs: manner.logprobs,
          withoutUsage: manner.withoutUsage,
          finishReason: manner.finishReason,
          refusal: manner.refusal,
        };
        if (asked.body.stream === true && manner.whole !== true) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          await writeEvents(response, wire.streamEvents(manner.model ?? asked.model, output), manner);
          response.end();
        } else {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(wire.completion(manner.model ?? asked.model, output)));
        }
      }
    }
  }

  private flood(response: ServerResponse): void {
    const piece = Buffer.alloc(65_536, 'a');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":[{"message":{"role":"assistant","content":"');
    const write = () => {
      while (!response.destroyed) {
        this.floodedBytes += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
    };
    write();
  }

  private recordCall(wire: ProviderFormat, { headers }: IncomingMessage, body: AnyJson): LlmCall {
    const { system, messages } = wire.parseRequest(body);
    const first = messages.find((message: AnyJson) => message.role === 'user')?.content;
    const topic = typeof first === 'string' ? first : (first?.[0]?.text ?? '');
    const attempt = this.countCalls(topic) + 1;
    this.callCounts.set(topic, attempt);
    const { api } = wire;
    const asked = {
      api,
      model: body.model,
      system,
      messages,
      topic,
      attempt,
      body,
      headers,
      at: Date.now(),
    };
    if (topic === PROBE_TOPIC) this.probes++;
    else this.calls.push(asked);
    return asked;
  }
}

/** Answers at once with text that fits the schema. */
export const VALID_ANSWER: LlmBehaviour = { do: 'say' };

/** Fits the schema of the echo operations; plain text where the instructions contain no schema. */
function validText({ system, topic }: LlmCall): string {
  return system.includes('JSON') ? JSON.stringify({ value: `answer to ${topic}` }) : `answer to ${topic}`;
}

/** Sends the first half of the reply and gives it time to reach the client. */
async function writeHalf(
  wire: ProviderFormat,
  asked: LlmCall,
  response: ServerResponse,
  text = validText(asked),
): Promise<void> {
  const output = { text, toolCalls: [] };
  if (asked.body.stream === true) {
    const events = wire.streamEvents(asked.model, output);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events.slice(0, Math.ceil(events.length / 2))) response.write(event);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    const whole = JSON.stringify(wire.completion(asked.model, output));
    response.write(whole.slice(0, whole.length / 2));
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function writeEvents(
  response: ServerResponse,
  events: readonly string[],
  { halfway, everyMs }: Extract<LlmBehaviour, { do: 'say' }>,
): Promise<void> {
  for (const [at, event] of events.entries()) {
    if (at === Math.ceil(events.length / 2)) await halfway;
    if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (response.destroyed) return;
    response.write(event);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function formatOf(url: string): ProviderFormat {
  if (url.endsWith('/messages')) return anthropicFormat;
  return url.endsWith('/responses') ? responsesFormat : openaiFormat;
}
