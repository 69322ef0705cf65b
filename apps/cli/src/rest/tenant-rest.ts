import { BatonError, isRecord, parseJson } from '@baton/protocol';
import type { BatonEndpoint } from '../settings/baton-endpoint.ts';
import { ConfigurationError } from '../settings/environment.ts';

/** Errors of Baton that are about the key, which its user must correct. */
const OF_THE_KEY = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended']);

/**
 * A tenant over REST. Errors: BatonError as Baton says it, `unavailable` where it cannot be reached, ConfigurationError for a key
 * that it refuses.
 */
export class TenantRest {
  private readonly endpoint: BatonEndpoint;
  private readonly base: string;

  constructor(endpoint: BatonEndpoint) {
    this.endpoint = endpoint;
    this.base = `${endpoint.url.replace(/\/mcp\/?$/, '')}/v1`;
  }

  /** What a route below /v1 replies, which has the form that its OpenAPI document says. */
  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
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
