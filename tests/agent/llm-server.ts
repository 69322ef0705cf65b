import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Loose } from '../harness/client.ts';
import { anthropic, openai, type Wire } from './llm-wire.ts';

/** One request as an LLM endpoint sees it. */
export interface Asked {
  readonly api: 'openai' | 'anthropic';
  readonly model: string;
  readonly system: string;
  /** The turns after the system message, in the API's own shape. */
  readonly messages: Loose[];
  /** The first user turn's text: what the tests know an interaction by. */
  readonly topic: string;
  /** How often this topic was asked before, plus one. */
  readonly time: number;
  readonly body: Loose;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/** What the endpoint does with a request. */
export type Manner =
  | {
      readonly do: 'say';
      readonly text?: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly afterMs?: number;
    }
  | {
      readonly do: 'refuse';
      readonly status: number;
      readonly message?: string;
      readonly headers?: Record<string, string>;
    }
  /** 200 with a body that is no JSON. */
  | { readonly do: 'garble' }
  /** Half an answer, then the connection is closed in good order. */
  | { readonly do: 'stop-halfway' }
  /** The connection is reset, before anything or after half an answer. */
  | { readonly do: 'reset'; readonly halfway?: boolean }
  /** Never answers. */
  | { readonly do: 'hang' };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

/** A real HTTP server that speaks OpenAI's chat completions and Anthropic's messages, well or badly, as it is told. */
export class LlmServer {
  readonly asked: Asked[] = [];
  manner: (asked: Asked) => Manner;
  private readonly server: Server;
  private readonly waiting = new Set<() => void>();
  private readonly times = new Map<string, number>();

  private constructor(manner: (asked: Asked) => Manner) {
    this.manner = manner;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(manner: (asked: Asked) => Manner = () => right): Promise<LlmServer> {
    const llm = new LlmServer(manner);
    llm.server.listen(0, '127.0.0.1');
    await once(llm.server, 'listening');
    return llm;
  }

  /** The base address, as both providers take it. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** How often a topic was asked. */
  timesOf(topic: string): number {
    return this.times.get(topic) ?? 0;
  }

  of(topic: string): Asked[] {
    return this.asked.filter((one) => one.topic === topic);
  }

  /** Waits until what was asked so far satisfies the predicate. */
  async until(holds: (asked: readonly Asked[]) => boolean): Promise<void> {
    while (!holds(this.asked)) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = request.url?.endsWith('/messages') ? anthropic : openai;
    const asked = this.note(wire, request, JSON.parse(await textOf(request)));
    const manner = this.manner(asked);
    for (const wake of this.waiting) wake();
    this.waiting.clear();
    switch (manner.do) {
      case 'hang':
        return;
      case 'refuse':
        response.writeHead(manner.status, { 'content-type': 'application/json', ...manner.headers });
        response.end(JSON.stringify(wire.refusal(manner.status, manner.message ?? 'no')));
        return;
      case 'garble':
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "x", "choi');
        return;
      case 'reset':
        if (manner.halfway === true) await half(wire, asked, response);
        (response.socket as Socket).resetAndDestroy();
        return;
      case 'stop-halfway':
        await half(wire, asked, response);
        response.end();
        return;
      case 'say': {
        if (manner.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, manner.afterMs));
        const said = { text: manner.text ?? rightText(asked), toolCalls: manner.toolCalls ?? [] };
        if (asked.body.stream === true) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const event of wire.events(asked.model, said)) response.write(event);
          response.end();
        } else {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(wire.whole(asked.model, said)));
        }
      }
    }
  }

  private note(wire: Wire, { headers }: IncomingMessage, body: Loose): Asked {
    const { system, messages } = wire.read(body);
    const first = messages.find((message: Loose) => message.role === 'user')?.content;
    const topic = typeof first === 'string' ? first : (first?.[0]?.text ?? '');
    const time = this.timesOf(topic) + 1;
    this.times.set(topic, time);
    const { api } = wire;
    const asked = {
      api,
      model: body.model,
      system,
      messages,
      topic,
      time,
      body,
      headers,
      at: performance.now(),
    };
    this.asked.push(asked);
    return asked;
  }
}

/** The right answer at once. */
export const right: Manner = { do: 'say' };

/** What fits the schema of the echo operations; in words where no schema stands in the instructions. */
function rightText({ system, topic }: Asked): string {
  return system.includes('JSON') ? JSON.stringify({ value: `answer to ${topic}` }) : `answer to ${topic}`;
}

/** Gives what was asked for a beginning that reaches the client. */
async function half(wire: Wire, asked: Asked, response: ServerResponse): Promise<void> {
  const said = { text: rightText(asked), toolCalls: [] };
  if (asked.body.stream === true) {
    const events = wire.events(asked.model, said);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events.slice(0, Math.ceil(events.length / 2))) response.write(event);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    const whole = JSON.stringify(wire.whole(asked.model, said));
    response.write(whole.slice(0, whole.length / 2));
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
