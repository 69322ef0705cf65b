import { BatonError, isRecord, parseJson } from '@baton/protocol';
import type { BatonEndpoint } from '../settings/baton-endpoint.ts';
import { ConfigurationError } from '../settings/environment.ts';

/** A stored version of a workflow, as REST gives it. */
export interface StoredWorkflow {
  readonly name: string;
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly definition: { readonly description: string; readonly steps: readonly unknown[] };
  /** Of a history: the tasks that go on with it. */
  readonly tasks?: readonly string[];
}

/** A workflow as a list shows it. */
export interface WorkflowSummary {
  readonly name: string;
  readonly version: number;
  readonly storedAt: string;
  readonly description: string;
  readonly steps: number;
}

interface ListPage {
  readonly workflows: readonly WorkflowSummary[];
  readonly nextCursor?: string;
}

/** Errors of Baton that are about the key, which its user must correct. */
const OF_THE_KEY = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended']);

/**
 * A tenant's workflows over REST. Errors: BatonError as Baton says it, `unavailable` where it cannot
 * be reached, ConfigurationError for a key that it refuses.
 */
export class WorkflowClient {
  private readonly endpoint: BatonEndpoint;
  private readonly base: string;

  constructor(endpoint: BatonEndpoint) {
    this.endpoint = endpoint;
    this.base = `${endpoint.url.replace(/\/mcp\/?$/, '')}/v1/workflows`;
  }

  async put(name: string, definition: unknown): Promise<{ readonly version: number }> {
    return this.rest('PUT', `/${encodeURIComponent(name)}`, definition);
  }

  /** All of them, page by page. */
  async list(): Promise<WorkflowSummary[]> {
    const all: WorkflowSummary[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page: ListPage = await this.rest('GET', query);
      all.push(...page.workflows);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  async get(name: string): Promise<StoredWorkflow> {
    return this.rest('GET', `/${encodeURIComponent(name)}`);
  }

  /** The versions that are kept, the newest first. */
  async history(name: string): Promise<StoredWorkflow[]> {
    const path = `/${encodeURIComponent(name)}/history`;
    return (await this.rest<{ versions: StoredWorkflow[] }>('GET', path)).versions;
  }

  async delete(name: string): Promise<void> {
    await this.rest('DELETE', `/${encodeURIComponent(name)}`);
  }

  /** What a route replies, which has the form that its OpenAPI document says. */
  private async rest<T>(method: string, path: string, body?: unknown): Promise<T> {
    return (await this.send(method, this.base + path, body)) as T;
  }

  private async send(method: string, url: string, body: unknown): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.endpoint.key}`, accept: 'application/json' };
    const content =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    let reply: unknown;
    try {
      const response = await fetch(url, { method, redirect: 'error', ...content });
      reply = parseJson(await response.text());
      if (response.ok && isRecord(reply)) return reply;
    } catch (thrown) {
      const { cause = thrown } = thrown as { cause?: unknown };
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new BatonError('unavailable', `Baton at ${url} gives no answer that can be read: ${reason}`);
    }
    throw this.refusal(reply);
  }

  private refusal(reply: unknown): Error {
    const error = errorIn(reply);
    if (!OF_THE_KEY.has(error.code)) return error;
    return new ConfigurationError(
      `BATON_API_KEY=(hidden): Baton at ${this.endpoint.url} refuses it (${error.code}): ${error.message}`,
    );
  }
}

/** The error of a problem document (RFC 9457). */
function errorIn(reply: unknown): BatonError {
  if (!isRecord(reply)) return new BatonError('unavailable', 'Baton gives an answer that is no JSON object.');
  const { detail, code, ...more } = reply;
  return BatonError.fromWire({ ...more, code: String(code), message: String(detail) });
}
