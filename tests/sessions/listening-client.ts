import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What `heard` says of `notifications/resources/list_changed`. */
export const LIST = 'the list';

/** Where a client's requests go, and where its notification stream: a balancer without affinity, in the test's hand. */
export interface Routes {
  posts: string;
  stream: string;
}

/** The official SDK's client, with everything that it hears. */
export class ListeningClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** URIs that were updated, and LIST, as they came. */
  readonly heard: string[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(routes: Routes, apiKey: string) {
    this.client = new Client({ name: 'listening', version: '1' });
    this.client.fallbackNotificationHandler = async ({ method, params }) => {
      this.heard.push(method === 'notifications/resources/updated' ? String(params?.['uri']) : LIST);
      for (const look of this.waiting) look();
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

  /** Connected, and its stream stands: the first that is said on one is that the list may have changed. */
  static async connect(routes: Routes, apiKey: string): Promise<ListeningClient> {
    const listening = new ListeningClient(routes, apiKey);
    await listening.client.connect(listening.transport as Parameters<Client['connect']>[0]);
    await listening.until(LIST);
    listening.heard.length = 0;
    return listening;
  }

  get session(): string {
    return this.transport.sessionId ?? '';
  }

  /** Resolves when `what` has been heard since the last `clear`. */
  async until(what: string): Promise<void> {
    if (this.heard.includes(what)) return;
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!this.heard.includes(what)) return;
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(
        () => reject(new Error(`${what} was not heard, only ${JSON.stringify(this.heard)}`)),
        15_000,
      );
      this.waiting.add(look);
    });
  }

  clear(): void {
    this.heard.length = 0;
  }

  subscribe(...uris: string[]): Promise<unknown> {
    return Promise.all(uris.map((uri) => this.client.subscribeResource({ uri })));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
