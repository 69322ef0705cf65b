import type { AnyJson } from '../harness/mcp-client.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';
import { vi } from 'vitest';

/** An event of a stream: its id, and the message that it carries, if it carries one. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly message: AnyJson;
}

/** The stream of one request of a session, without an SDK. */
export class TaskStreamClient {
  readonly response: Response;
  /** Resolves when the stream has ended, on whichever side. */
  readonly ended: Promise<void>;
  private readonly abort: AbortController;
  private text = '';

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.abort = abort;
    this.ended = this.read();
  }

  /** Posts a request, or, with a `lastEventId`, opens its stream again. */
  static async open(
    url: string,
    headers: Record<string, string>,
    from: { readonly request: AnyJson } | { readonly lastEventId: string },
  ): Promise<TaskStreamClient> {
    const abort = new AbortController();
    const common = { accept: 'application/json, text/event-stream', ...headers };
    const response = await fetch(`${url}/mcp`, {
      signal: abort.signal,
      ...('request' in from
        ? {
            method: 'POST',
            headers: { ...common, 'content-type': 'application/json' },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...from.request }),
          }
        : { headers: { ...common, 'last-event-id': from.lastEventId } }),
    });
    return new TaskStreamClient(response, abort);
  }

  /** The stream of the session itself. */
  static async listen(url: string, headers: Record<string, string>): Promise<TaskStreamClient> {
    const abort = new AbortController();
    const accept = 'text/event-stream';
    const response = await fetch(`${url}/mcp`, { signal: abort.signal, headers: { accept, ...headers } });
    return new TaskStreamClient(response, abort);
  }

  get events(): StreamEvent[] {
    const whole = this.text.slice(0, this.text.lastIndexOf('\n\n') + 2);
    return whole.split('\n\n').flatMap((event) => {
      const field = (name: string) =>
        event
          .split('\n')
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 2);
      const [id, data] = [field('id'), field('data')];
      return data === undefined ? [] : [{ id, message: data === '' ? undefined : JSON.parse(data) }];
    });
  }

  get messages(): AnyJson[] {
    return this.events.flatMap(({ message }) => (message === undefined ? [] : [message]));
  }

  /** The `n`th message of a method; its response for ''. */
  async message(method: string, n = 0): Promise<AnyJson> {
    const found = () => this.messages.filter((message) => (message.method ?? '') === method)[n];
    await vi.waitFor(
      () => {
        if (found() === undefined)
          throw new Error(`no ${method || 'response'} among ${JSON.stringify(this.messages)}`);
      },
      { timeout: 10_000, interval: 5 },
    );
    return found();
  }

  /** The client loses its connection. */
  async lose(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? [])
        this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Lost.
    }
  }
}

/** The headers of a new session of a client with these capabilities. */
export async function openSession(
  url: string,
  key: string,
  capabilities: object,
  protocolVersion = '2025-11-25',
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'tests', version: '1' } };
  const { headers } = await postJsonRpc(url, key, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return {
    authorization: `Bearer ${key}`,
    'mcp-session-id': headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': protocolVersion,
  };
}
