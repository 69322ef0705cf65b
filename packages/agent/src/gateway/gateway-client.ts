import {
  type AgentAnswer,
  BatonError,
  isErrorCode,
  isRecord,
  type Role,
  VERSION,
  type WireError,
} from '@baton/protocol';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type DelegatedRequest, readDelegatedRequest } from '../api/delegated-request.ts';

/** Whoever calls may be away for a while; a call that is not answered by then is made again. */
const CALL_MS = 30_000;

/** What is claimed: how many of which requests, as whose, for how long, and how long to wait for the first. */
export interface ClaimRequest {
  readonly max: number;
  readonly holder: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly role?: Role;
  readonly operation?: string;
}

/** What became of an answer that Baton took. */
export interface PostedAnswer {
  readonly taskId: string;
  /** It had taken this very answer before. */
  readonly replayed: boolean;
  /** Where the task stood when the wait was over. */
  readonly status: string;
}

/**
 * Baton over MCP, by the official client. A connection that failed is made anew by the next call, since any replica
 * will do. Errors of every call: BatonError, `unavailable` when Baton cannot be reached.
 */
export class GatewayClient {
  private readonly url: URL;
  private readonly key: string;
  private connection: Promise<Client> | undefined;

  constructor({ url, key }: { url: string; key: string }) {
    this.url = new URL(url);
    this.key = key;
  }

  /** Claims up to `max` requests that wait, oldest first; if there are none, waits for one up to `waitMs`. */
  async claim(
    { max, holder, leaseMs, waitMs, ...only }: ClaimRequest,
    signal: AbortSignal,
  ): Promise<DelegatedRequest[]> {
    const claim = { max, leaseMs, holder };
    let cursor: unknown;
    do {
      const page = await this.call(
        'pending_interactions',
        { claim, waitMs, ...only, ...(cursor === undefined ? {} : { cursor }) },
        signal,
      );
      const items = Array.isArray(page['interactions']) ? page['interactions'] : [];
      if (items.length > 0) return items.flatMap((item) => readDelegatedRequest(item) ?? []);
      // One look passes over so many that are claimed or others' own; more may stand behind them.
      cursor = page['nextCursor'];
    } while (cursor !== undefined);
    return [];
  }

  /** Renews the claim on an interaction, or ends it with 0. Errors: `interaction_claimed` when it is another's. */
  async renewClaim(
    interactionId: string,
    holder: string,
    leaseMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    await this.call('pending_interactions', { interactionId, claim: { leaseMs, holder } }, signal);
  }

  /** Ends all claims of a holder, those too that it is given by a call which is still under way. */
  async releaseHolder(holder: string, signal: AbortSignal): Promise<void> {
    await this.call('pending_interactions', { claim: { leaseMs: 0, holder } }, signal);
  }

  async post(
    interactionId: string,
    agentLLMResponse: AgentAnswer,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<PostedAnswer> {
    const reply = await this.call('agent_llm', { interactionId, agentLLMResponse, waitMs }, signal);
    return { taskId: String(reply['taskId']), replayed: reply['replayed'] === true, status: statusOf(reply) };
  }

  /** Waits until a task has come to a stand, up to `waitMs`. */
  async waitForTask(taskId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    await this.call('task_status', { taskId, waitMs }, signal);
  }

  /** Connects, so that an answer that was paid for finds a connection. What goes wrong is the next call's. */
  async connectEarly(): Promise<void> {
    await (this.connection ??= this.connect()).catch(() => {});
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.then((client) => client.close()).catch(() => {});
  }

  private async call(name: string, args: Record<string, unknown>, signal: AbortSignal) {
    const client = await unlessAborted((this.connection ??= this.connect()), signal);
    // The SDK never takes its listener off a signal again, and this one lives as long as the agent.
    const call = new AbortController();
    const abort = () => call.abort();
    signal.addEventListener('abort', abort);
    const result = await client
      .callTool({ name, arguments: args }, undefined, { signal: call.signal, timeout: CALL_MS })
      .catch(async (error: unknown) => {
        // Its session is not known any more. Other failures leave the connection as it is: each call is a POST of its own.
        if (error instanceof StreamableHTTPError && error.code === 404) await this.close();
        throw asBatonError(error);
      })
      .finally(() => signal.removeEventListener('abort', abort));
    const content = isRecord(result.structuredContent) ? result.structuredContent : {};
    if (result.isError === true) {
      const { error } = content;
      throw isRecord(error)
        ? BatonError.fromWire(error as unknown as WireError)
        : new BatonError('internal', `Baton refused ${name} without saying why`);
    }
    return content;
  }

  private async connect(): Promise<Client> {
    const client = new Client({ name: 'baton-agent', version: VERSION });
    const transport = new StreamableHTTPClientTransport(this.url, {
      requestInit: { headers: { authorization: `Bearer ${this.key}` } },
    });
    try {
      // The SDK's own transport does not fit its own interface under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<typeof client.connect>[0]);
    } catch (error) {
      this.connection = undefined;
      throw asBatonError(error);
    }
    return client;
  }
}

/** Whoever waits for a connection no longer leaves it to the next call. Errors: the signal's reason. */
async function unlessAborted<T>(connection: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(asBatonError(signal.reason));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([connection, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function statusOf({ outcome }: Record<string, unknown>): string {
  return isRecord(outcome) ? String(outcome['status']) : '';
}

/** A refusal by HTTP comes as text with the JSON-RPC error in it; anything else is a connection that failed. */
function asBatonError(thrown: unknown): BatonError {
  const { message, data } = thrown as { message?: string; data?: unknown };
  const body = /\{.*\}/s.exec(message ?? '')?.[0];
  for (const found of [data, body && parse(body)]) {
    const wire = isRecord(found) && isRecord(found['error']) ? found['error']['data'] : found;
    if (isRecord(wire) && isErrorCode(String(wire['code'])))
      return BatonError.fromWire(wire as unknown as WireError);
  }
  return new BatonError('unavailable', message ?? 'the connection failed');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
