import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What `heard` says of `notifications/resources/list_changed`. */
export const LIST_CHANGED = 'the list';

/** Where a client's requests go, and where its notification stream: a balancer without affinity, in the test's hand. */
export interface ClientRoutes {
  posts: string;
  stream: string;
}

/** The official SDK's client, with everything that it hears. */
export class SubscribingClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** URIs that were updated, and LIST, as they came. */
  readonly notifications: string[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(routes: ClientRoutes, apiKey: string) {
    this.client = new Client({ name: 'listening', version: '1' });
    this.client.fallbackNotificationHandler = async ({ method, params }) => {
      this.notifications.push(
        method === 'notifications/resources/updated' ? String(params?.['uri']) : LIST_CHANGED,
      );
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
  static async connect(routes: ClientRoutes, apiKey: string): Promise<SubscribingClient> {
    const listening = new SubscribingClient(routes, apiKey);
    await listening.client.connect(listening.transport as Parameters<Client['connect']>[0]);
    await listening.waitFor(LIST_CHANGED);
    listening.notifications.length = 0;
    return listening;
  }

  get sessionId(): string {
    return this.transport.sessionId ?? '';
  }

  /** Resolves when `what` has been heard since the last `clear`. */
  async waitFor(what: string): Promise<void> {
    if (this.notifications.includes(what)) return;
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!this.notifications.includes(what)) return;
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(
        () => reject(new Error(`${what} was not heard, only ${JSON.stringify(this.notifications)}`)),
        15_000,
      );
      this.waiting.add(look);
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
