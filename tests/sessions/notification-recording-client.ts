import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The entry of `notifications` for `notifications/resources/list_changed`. */
export const LIST_CHANGED = 'the list';

/** Base URLs for POST requests and for the notification stream, as a load balancer without affinity would choose them. */
export interface ClientRoutes {
  posts: string;
  stream: string;
}

/** The official SDK's client, which records every notification of resources that it receives. */
export class NotificationRecordingClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** URIs of updated resources and LIST_CHANGED, in order of arrival. */
  readonly notifications: string[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(routes: ClientRoutes, apiKey: string) {
    this.client = new Client({ name: 'listening', version: '1' });
    this.client.fallbackNotificationHandler = async ({ method, params }) => {
      // The lists of prompts and tools are told of too, when a stream opens, and are not what these tests are about.
      if (method === 'notifications/resources/updated') this.notifications.push(String(params?.['uri']));
      else if (method === 'notifications/resources/list_changed') this.notifications.push(LIST_CHANGED);
      for (const check of this.waiting) check();
    };
    this.transport = new StreamableHTTPClientTransport(new URL(`${routes.posts}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
      reconnectionOptions: {
        initialReconnectionDelay: 20,
        maxReconnectionDelay: 20,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 1_000,
      },
      fetch: (_url, init) => fetch(`${init?.method === 'GET' ? routes.stream : routes.posts}/mcp`, init),
    });
  }

  /** Resolves when the stream is open: each begins with list_changed. */
  static async connect(routes: ClientRoutes, apiKey: string): Promise<NotificationRecordingClient> {
    const client = new NotificationRecordingClient(routes, apiKey);
    await client.client.connect(client.transport as Parameters<Client['connect']>[0]);
    await client.waitFor(LIST_CHANGED);
    client.notifications.length = 0;
    return client;
  }

  get sessionId(): string {
    return this.transport.sessionId ?? '';
  }

  /** Resolves when the notification has come since the last `clear`. Errors: after 15 s without it. */
  async waitFor(what: string): Promise<void> {
    if (this.notifications.includes(what)) return;
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!this.notifications.includes(what)) return;
        clearTimeout(timer);
        this.waiting.delete(check);
        resolve();
      };
      const timer = setTimeout(
        () => reject(new Error(`${what} was not received, only ${JSON.stringify(this.notifications)}`)),
        15_000,
      );
      this.waiting.add(check);
    });
  }

  clear(): void {
    this.notifications.length = 0;
  }

  subscribe(...uris: string[]): Promise<unknown> {
    return Promise.all(uris.map((uri) => this.client.subscribeResource({ uri })));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
