import {
  type AgentResponse,
  BatonError,
  connectionFailureReason,
  isErrorCode,
  isRecord,
  LARGE_JSON_TEXT_BOUNDS,
  parseJson,
  type ModelRole,
  BATON_VERSION,
  type WireError,
} from '@baton/protocol';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import pTimeout from 'p-timeout';
import type { TaskState } from '../api/events.ts';
import { type DelegatedRequest, parseDelegatedRequest } from '../api/delegated-request.ts';

/** A call without a reply within this time counts as `unavailable`, and is retried by its caller. */
const CALL_MS = 30_000;

/** What to claim: at most `max` requests of a role or operation, for `holder`, waiting up to `waitMs` for the first. */
export interface ClaimRequest {
  readonly max: number;
  readonly holder: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly role?: ModelRole;
  readonly operation?: string;
}

/** Baton's reply to an answer that it took. */
export interface PostedAnswer {
  /** The same answer had been taken before. */
  readonly replayed: boolean;
  /** The task when the wait ended. */
  readonly task: TaskState;
}

/**
 * Baton over MCP, by the official client. The next call after a failed connection opens a new one, to any replica.
 * Errors of every call: BatonError, `unavailable` when Baton cannot be reached.
 */
export class GatewayClient {
  private readonly url: URL;
  private readonly key: string;
  private connection: Promise<Client> | undefined;

  constructor({ url, key }: { url: string; key: string }) {
    this.url = new URL(url);
    this.key = key;
  }

  /** Claims up to `max` pending requests, oldest first; when there are none, waits up to `waitMs` for one. */
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
      if (items.length > 0) return items.flatMap((item) => parseDelegatedRequest(item) ?? []);
      // A page may hold only requests that are claimed or another principal's; later pages may have others.
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

  /** Ends all claims of a holder, also those that a call under way still gives it. */
  async releaseHolder(holder: string, signal: AbortSignal): Promise<void> {
    await this.call('pending_interactions', { claim: { leaseMs: 0, holder } }, signal);
  }

  /** Posts an answer, or one chunk of it. */
  async postAnswer(
    interactionId: string,
    agentLLMResponse: AgentResponse,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<PostedAnswer> {
    const reply = await this.call('agent_llm', { interactionId, agentLLMResponse, waitMs }, signal);
    return { replayed: reply['replayed'] === true, task: taskStateOf(reply) };
  }

  /** Waits up to `waitMs` until a task is no longer `working`. */
  async waitForTask(taskId: string, waitMs: number, signal: AbortSignal): Promise<TaskState> {
    return taskStateOf({ taskId, outcome: await this.call('task_status', { taskId, waitMs }, signal) });
  }

  /** Connects ahead of the first call. A failure is ignored; the next call connects again. */
  async connectEarly(): Promise<void> {
    await (this.connection ??= this.connect()).catch(() => {});
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.then((client) => client.close()).catch(() => {});
  }

  private async call(name: string, args: Record<string, unknown>, signal: AbortSignal) {
    const client = await unlessAborted((this.connection ??= this.connect()), signal, this.url);
    // The SDK never removes its abort listener, and this signal lives as long as the agent.
    const call = new AbortController();
    const abort = () => call.abort();
    signal.addEventListener('abort', abort);
    const result = await client
      .callTool({ name, arguments: args }, undefined, { signal: call.signal, timeout: CALL_MS })
      .catch(async (error: unknown) => {
        // The session is gone. Other failures leave the connection as it is: each call is a POST of its own.
        if (error instanceof StreamableHTTPError && error.code === 404) await this.close();
        throw asBatonError(error, this.url);
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
    const client = new Client({ name: 'baton-agent', version: BATON_VERSION });
    const transport = new StreamableHTTPClientTransport(this.url, {
      // Answers would go where a redirect leads.
      requestInit: { headers: { authorization: `Bearer ${this.key}` }, redirect: 'error' },
    });
    try {
      // The SDK's own transport does not fit its own interface under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<typeof client.connect>[0]);
    } catch (error) {
      this.connection = undefined;
      throw asBatonError(error, this.url);
    }
    return client;
  }
}

/** The connection, which goes on for the next call when this one is aborted. */
async function unlessAborted<T>(connection: Promise<T>, signal: AbortSignal, url: URL): Promise<T> {
  try {
    return await pTimeout(connection, { milliseconds: Number.POSITIVE_INFINITY, signal });
  } catch (error) {
    throw signal.aborted ? asBatonError(signal.reason, url) : error;
  }
}

function taskStateOf({ taskId, outcome }: Record<string, unknown>): TaskState {
  const { status = '', error } = isRecord(outcome) ? outcome : {};
  const state = { taskId: String(taskId), status: String(status) };
  if (!isRecord(error)) return state;
  return { ...state, error: { code: String(error['code']), message: String(error['message']) } };
}

/** An HTTP refusal comes as text with the JSON-RPC error in it; anything else is a failed connection, whose address is named. */
function asBatonError(thrown: unknown, url: URL): BatonError {
  const { message = '', data } = thrown as { message?: string; data?: unknown };
  const body = message.slice(Math.max(0, message.indexOf('{')), message.lastIndexOf('}') + 1);
  for (const found of [data, parse(body)]) {
    const wire = isRecord(found) && isRecord(found['error']) ? found['error']['data'] : found;
    if (isRecord(wire) && isErrorCode(String(wire['code'])))
      return BatonError.fromWire(wire as unknown as WireError);
  }
  return new BatonError(
    'unavailable',
    `Baton at ${url.href} gives no answer that can be read: ${connectionFailureReason(thrown)}`,
  );
}

function parse(text: string): unknown {
  try {
    return parseJson(text, LARGE_JSON_TEXT_BOUNDS);
  } catch {
    return undefined;
  }
}
