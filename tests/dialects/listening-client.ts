import type { AnyJson } from '../harness/mcp-client.ts';
import { parseSseMessages } from '../harness/sse.ts';
import { standardHeaders } from './client-of-2026.ts';

/** A stream of `subscriptions/listen`, without an SDK. */
export class ListeningClient {
  readonly response: Response;
  private text = '';
  private readonly abort: AbortController;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.abort = abort;
    this.ended = this.read();
  }

  static async open(url: string, key: string, notifications: object, meta: object): Promise<ListeningClient> {
    const abort = new AbortController();
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...standardHeaders('subscriptions/listen'),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'listen-1',
        method: 'subscriptions/listen',
        params: { notifications, _meta: meta },
      }),
      signal: abort.signal,
    });
    return new ListeningClient(response, abort);
  }

  /** All that came so far. */
  get messages(): AnyJson[] {
    return parseSseMessages(this.text.slice(0, this.text.lastIndexOf('\n\n') + 2)) as AnyJson[];
  }

  ofMethod(method: string): AnyJson[] {
    return this.messages.filter((message) => message.method === method).map(({ params }) => params);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? [])
        this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Closed here.
    }
  }
}
