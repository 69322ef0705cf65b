import {
  BatonError,
  connectionFailureReason,
  isRecord,
  LARGE_JSON_TEXT_BOUNDS,
  parseJson,
} from '@baton/protocol';
import { EXIT_CODES } from '../process/exit-codes.ts';
import { type RestEndpoint, type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';
import { ConfigurationError } from '../settings/environment.ts';
import { NotBatonError, rememberRepliedUrl } from './not-baton-error.ts';
import { PageCursors } from './page-cursors.ts';
import { readReplyText } from './reply-text.ts';

/** A credential that is good and may not do what it was used for. */
class PermissionError extends Error {
  readonly exitCode = EXIT_CODES.noPermission;
}

/** A gateway calls whatever it does not know an API key, and has no route for operators elsewhere: that an operator called is known here. */
const AT_OPERATOR_PORT =
  'Where the gateway has a BATON_OPERATOR_PORT, operators are served at that port alone: give its address by --url.';

const NO_PERMISSION = new Set(['insufficient_scope', 'tenant_suspended']);

/**
 * Baton over REST. Errors: BatonError as Baton says it, `unavailable` where it cannot be reached, ConfigurationError for a credential that
 * it does not know, PermissionError for one that may not do this.
 */
export class RestClient {
  private readonly endpoint: RestEndpoint;

  constructor(endpoint: RestEndpoint) {
    this.endpoint = endpoint;
  }

  /** What a route below the endpoint's base replies, which has the form that its OpenAPI document says; undefined for none. */
  async request<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const url = this.endpoint.base + path;
    const { text, ok } = await this.fetchText(method, url, body, headers);
    if (ok && text === '') return undefined as T;
    const reply = readJson(text, url);
    rememberRepliedUrl(url);
    if (ok && isRecord(reply)) return reply as T;
    throw this.refusal(reply, url);
  }

  /** The same of a GET whose reply is text. */
  async text(path: string): Promise<string> {
    const url = this.endpoint.base + path;
    const { text, ok } = await this.fetchText('GET', url, undefined, {});
    if (ok) return text;
    throw this.refusal(readJson(text, url), url);
  }

  /** The items of a list's pages, `limit` at most, and whether there are more. `path` may have a query. Errors: NotBatonError for pages that go round. */
  async list<T>(
    path: string,
    field: string,
    limit: number,
  ): Promise<{ readonly items: readonly T[]; readonly more: boolean }> {
    const items: T[] = [];
    const cursors = this.cursorsOf(path);
    let cursor: string | undefined;
    do {
      const next =
        cursor === undefined ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
      const page = await this.request<Record<string, unknown>>('GET', path + next);
      const shown = page[field];
      if (!Array.isArray(shown) || !shown.every(isRecord))
        throw new NotBatonError(this.endpoint.base + path, 'its reply has another form');
      items.push(...(shown as T[]));
      cursor = cursors.after(page);
    } while (cursor !== undefined && items.length < limit);
    return { items: items.slice(0, limit), more: cursor !== undefined || items.length > limit };
  }

  /** The cursors of a list, for whoever reads its pages by `request`. */
  cursorsOf(path: string): PageCursors {
    return new PageCursors(this.endpoint.base + path);
  }

  private async fetchText(
    method: string,
    url: string,
    body: unknown,
    more: Readonly<Record<string, string>>,
  ): Promise<{ readonly ok: boolean; readonly text: string }> {
    const headers = {
      ...more,
      authorization: `Bearer ${this.endpoint.credential}`,
      accept: 'application/json',
    };
    const content =
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    try {
      const response = await fetch(url, { method, redirect: 'error', ...content });
      return { ok: response.ok, text: await readReplyText(response) };
    } catch (thrown) {
      throw unreadable(url, thrown);
    }
  }

  private refusal(reply: unknown, from: string): Error {
    const error = errorIn(reply);
    if (error === undefined) return new NotBatonError(from, 'its reply has another form');
    const { setting, url } = this.endpoint;
    if (setting === 'BATON_OPERATOR_TOKEN' && error.code === 'unauthenticated')
      return new ConfigurationError(
        `${setting}=(hidden): is not the operator token of the gateway at ${url} (${error.code}). ${AT_OPERATOR_PORT}`,
      );
    if (setting === 'BATON_OPERATOR_TOKEN' && error.code === 'not_found')
      return new BatonError(error.code, `${error.message} ${AT_OPERATOR_PORT}`, error.details);
    const text = `${setting}=(hidden): Baton at ${url} refuses it (${error.code}): ${error.message}`;
    if (NO_PERMISSION.has(error.code)) return new PermissionError(text);
    return error.code === 'unauthenticated' ? new ConfigurationError(text) : error;
  }
}

/** The tenant that the flags mean. `purpose` says which key is needed. Errors: ConfigurationError. */
export async function openRest(
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
  purpose: string,
): Promise<RestClient> {
  return new RestClient(await tenantRest(flags, environment, purpose));
}

function readJson(text: string, url: string): unknown {
  try {
    return parseJson(text, LARGE_JSON_TEXT_BOUNDS);
  } catch (error) {
    throw unreadable(url, error);
  }
}

function unreadable(url: string, thrown: unknown): BatonError {
  return new BatonError(
    'unavailable',
    `Baton at ${url} gives no answer that can be read: ${connectionFailureReason(thrown)}`,
  );
}

/** The error of a problem document (RFC 9457); undefined for what is none. */
function errorIn(reply: unknown): BatonError | undefined {
  if (!isRecord(reply)) return undefined;
  const { detail, code, ...more } = reply;
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
  return BatonError.fromWire({ ...more, code, message: detail });
}
