import { BatonError, isRecord, parseJson } from '@baton/protocol';
import type { BatonEndpoint } from '../settings/baton-endpoint.ts';
import { ConfigurationError } from '../settings/environment.ts';

/** A stored version of a definition, as REST gives it. */
export interface StoredDefinition {
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Of a workflow's history: the tasks that go on with it. */
  readonly tasks?: readonly string[];
}

/** A definition as a list shows it. */
export interface DefinitionSummary {
  readonly version: number;
  readonly storedAt: string;
  readonly [field: string]: unknown;
}

/** What is stored after a put. */
interface PutReply {
  readonly version: number;
  /** Fields of the definition that have no place in Baton. */
  readonly ignored?: readonly string[];
}

export type DefinitionPlural = 'workflows' | 'agents' | 'prompts';

/** Errors of Baton that are about the key, which its user must correct. */
const OF_THE_KEY = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended']);

/**
 * A tenant's definitions of one kind over REST. Errors: BatonError as Baton says it, `unavailable` where it cannot
 * be reached, ConfigurationError for a key that it refuses.
 */
export class DefinitionClient {
  private readonly endpoint: BatonEndpoint;
  private readonly plural: DefinitionPlural;
  private readonly base: string;

  constructor(endpoint: BatonEndpoint, plural: DefinitionPlural) {
    this.endpoint = endpoint;
    this.plural = plural;
    this.base = `${endpoint.url.replace(/\/mcp\/?$/, '')}/v1/${plural}`;
  }

  async put(name: string, definition: unknown): Promise<PutReply> {
    return this.rest('PUT', `/${encodeURIComponent(name)}`, definition);
  }

  /** All of them, page by page. */
  async list(): Promise<DefinitionSummary[]> {
    const all: DefinitionSummary[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page: Record<string, unknown> = await this.rest('GET', query);
      all.push(...(page[this.plural] as DefinitionSummary[]));
      cursor = page['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    return all;
  }

  async get(name: string): Promise<StoredDefinition> {
    return this.rest('GET', `/${encodeURIComponent(name)}`);
  }

  /** The versions that are kept, the newest first. */
  async history(name: string): Promise<StoredDefinition[]> {
    const path = `/${encodeURIComponent(name)}/history`;
    return (await this.rest<{ versions: StoredDefinition[] }>('GET', path)).versions;
  }

  async delete(name: string): Promise<void> {
    await this.rest('DELETE', `/${encodeURIComponent(name)}`);
  }

  /** A change of an agent's state: how it stands then. */
  async change(id: string, action: 'enable' | 'disable' | 'primary'): Promise<Record<string, unknown>> {
    return this.rest('POST', `/${encodeURIComponent(id)}/${action}`);
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
