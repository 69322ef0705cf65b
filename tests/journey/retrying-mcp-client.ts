import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { AnyJson } from '../harness/mcp-client.ts';

/** Time limits of one attempt and of all attempts of a call. */
const ATTEMPT_MS = 15_000;
const PATIENCE_MS = 90_000;

/** Statuses after which a call may be repeated; 404 means that the session is unknown. */
const RETRYABLE_STATUSES = new Set([404, 429, 502, 503, 504]);

/** Called right before each attempt; the returned function is called after it. */
type AttemptObserver = (name: string, replica: number) => () => void;

interface Connection {
  readonly client: Client;
  /** Tools whose results the SDK validates. */
  readonly checked: ReadonlySet<string>;
}

/**
 * The official SDK's client over several replicas in turn. A call without a reply, or with a retryable error, is repeated
 * unchanged at the next replica. The SDK validates every result against its tool's output schema.
 */
export class RetryingMcpClient {
  /** Valid results by tool. */
  private readonly validResults = new Map<string, number>();
  private readonly schemaErrors: string[] = [];
  private repeats = 0;
  private readonly urls: readonly string[];
  private readonly key: string;
  private readonly onAttempt: AttemptObserver;
  private readonly connections = new Map<number, Promise<Connection>>();
  private nextReplica = 0;

  constructor(urls: readonly string[], key: string, watching: AttemptObserver) {
    this.urls = urls;
    this.key = key;
    this.onAttempt = watching;
  }

  /** How many results were validated, and the schema errors. */
  get schemaChecks(): { seen: string; against: string[] } {
    const fitting = [...this.validResults.values()].reduce((sum, one) => sum + one, 0);
    const seen = `${fitting} results of ${this.validResults.size} tools, ${this.repeats} calls repeated`;
    return { seen, against: [...this.schemaErrors, ...(fitting === 0 ? ['there was no valid result'] : [])] };
  }

  /** A tool's structured content. `idempotencyKey` makes a call that starts something safe to repeat. */
  async call(name: string, args: object, idempotencyKey?: string): Promise<AnyJson> {
    const begun = performance.now();
    const meta = idempotencyKey === undefined ? {} : { _meta: { 'baton/idempotencyKey': idempotencyKey } };
    const params = { name, arguments: args as Record<string, unknown>, ...meta };
    for (let tried = 1; ; tried++) {
      const replica = this.nextReplica++ % this.urls.length;
      try {
        return await this.attempt(replica, params);
      } catch (error) {
        if (!isRetryable(error) || performance.now() - begun > PATIENCE_MS) throw error;
        this.repeats++;
        await this.drop(replica);
      }
      if (tried % this.urls.length === 0) await pause(100);
    }
  }

  /** Connects to every replica. */
  async open(): Promise<void> {
    await Promise.all(this.urls.map((_, replica) => this.connection(replica)));
  }

  async close(): Promise<void> {
    await Promise.all(this.urls.map((_, replica) => this.drop(replica)));
  }

  private async attempt(replica: number, params: { name: string }): Promise<AnyJson> {
    const { client, checked } = await this.connection(replica);
    const { name } = params;
    if (!checked.has(name)) this.schemaErrors.push(`${name} has no output schema`);
    const over = this.onAttempt(name, replica);
    const result = await client
      .callTool(params, undefined, { timeout: ATTEMPT_MS })
      .catch((error: unknown) => {
        if (isSchemaMismatch(error)) this.schemaErrors.push(`${name}: ${String(error)}`);
        throw error;
      })
      .finally(over);
    if (result.isError === true) throw new ToolCallError(name, (result.structuredContent as AnyJson)?.error);
    this.validResults.set(name, (this.validResults.get(name) ?? 0) + 1);
    return result.structuredContent;
  }

  private connection(replica: number): Promise<Connection> {
    let made = this.connections.get(replica);
    if (made === undefined) {
      made = this.connect(replica);
      this.connections.set(replica, made);
    }
    return made;
  }

  private async connect(replica: number): Promise<Connection> {
    const client = new Client({ name: 'e2e', version: '1' });
    // After a broken stream the SDK would wait for its reply until the time-out; closing the client rejects the call at once.
    client.onerror = () => void client.close().catch(() => {});
    const transport = new StreamableHTTPClientTransport(new URL(`${this.urls[replica]}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${this.key}` } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0], { timeout: ATTEMPT_MS });
    const { tools } = await client.listTools(undefined, { timeout: ATTEMPT_MS });
    return { client, checked: new Set(tools.flatMap((tool) => (tool.outputSchema ? [tool.name] : []))) };
  }

  private async drop(replica: number): Promise<void> {
    const made = this.connections.get(replica);
    this.connections.delete(replica);
    await made?.then(({ client }) => client.close()).catch(() => {});
  }
}

/** A tool call that returned an error. */
export class ToolCallError extends Error {
  readonly code: string;

  constructor(tool: string, error: AnyJson) {
    super(`${tool} was refused: ${JSON.stringify(error)}`);
    this.code = String(error?.code);
  }
}

function isSchemaMismatch(error: unknown): boolean {
  return error instanceof McpError && /output schema|structured content/i.test(error.message);
}

/** True when the outcome is unknown or the call changed nothing. */
function isRetryable(error: unknown): boolean {
  if (error instanceof ToolCallError)
    return ['unavailable', 'limit_rate', 'project_conflict'].includes(error.code);
  if (error instanceof McpError)
    return (
      error.code === Number(ErrorCode.RequestTimeout) || error.code === Number(ErrorCode.ConnectionClosed)
    );
  if (error instanceof StreamableHTTPError) return RETRYABLE_STATUSES.has(error.code ?? 0);
  return true;
}
