import { createParser } from 'eventsource-parser';

/** What Baton refused, as its problem document (RFC 9457) says it. `unreachable` where no answer came. */
export class RestError extends Error {
  readonly code: string;
  readonly status: number;
  /** After how many milliseconds the same may be asked again; undefined where it would be refused again. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, status: number, message: string, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether a PUT was refused since it did not find what its precondition asks for. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof RestError && thrown.status === 412;
}

/** A reading that takes longer is given up, in milliseconds. */
const MOST_READING_MS = 15_000;
/** After how long what says no time of its own is asked again, in milliseconds. */
const RETRY_MS = 5_000;

/** What is read or stored, with its entity tag. */
export interface WithEtag<T> {
  readonly value: T;
  readonly etag: string;
}

/** What a PUT needs to find: the entity tag, or nothing at all. */
type Precondition = { readonly 'if-match': string } | { readonly 'if-none-match': '*' };

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Baton's REST with one credential, which stands nowhere but in this object. */
export class RestClient {
  private readonly credential: string;
  private readonly base: string;
  private readonly onUnauthenticated: () => void;

  /** `base`: `/v1` for what is the credential's own, `/v1/tenants/{id}` for a tenant. */
  constructor(credential: string, base: string, onUnauthenticated: () => void = () => {}) {
    this.credential = credential;
    this.base = base;
    this.onUnauthenticated = onUnauthenticated;
  }

  /** The same credential with another base. */
  at(base: string): RestClient {
    return new RestClient(this.credential, base, this.onUnauthenticated);
  }

  /** Errors: RestError, `unreachable` also where the answer is not whole in time; that of the signal when it aborts. */
  async get<T>(path: string, query: Query = {}, given?: AbortSignal): Promise<T> {
    return (await this.getTagged<T>(path, query, given)).value;
  }

  /** The same with its entity tag; empty where it has none. */
  async getTagged<T>(path: string, query: Query = {}, given?: AbortSignal): Promise<WithEtag<T>> {
    const tooLate = AbortSignal.timeout(MOST_READING_MS);
    const signal = given === undefined ? tooLate : AbortSignal.any([given, tooLate]);
    try {
      return await readTagged<T>(await this.fetch('GET', path + toQueryString(query), { signal }));
    } catch (thrown) {
      if (thrown instanceof RestError || given?.aborted === true) throw thrown;
      throw unreachable('Baton does not answer.');
    }
  }

  /** Errors: RestError. */
  async post<T>(path: string, body: unknown = {}): Promise<T> {
    return (await this.fetch('POST', path, { body })).json() as Promise<T>;
  }

  /** Errors: RestError. */
  async put<T>(path: string, body: unknown): Promise<T> {
    return (await this.fetch('PUT', path, { body })).json() as Promise<T>;
  }

  /** Stores where there is what `precondition` asks for. Errors: RestError, its status 412 where there is something else. */
  async putWhere<T>(path: string, precondition: Precondition, body: unknown): Promise<WithEtag<T>> {
    return readTagged<T>(await this.fetch('PUT', path, { body, precondition }));
  }

  /** PUT with a body that is JSON already. Errors: RestError. */
  async putText<T>(path: string, json: string): Promise<T> {
    return (await this.fetch('PUT', path, { json })).json() as Promise<T>;
  }

  /** Errors: RestError. */
  async patch<T>(path: string, body: unknown): Promise<T> {
    return (await this.fetch('PATCH', path, { body })).json() as Promise<T>;
  }

  /** Errors: RestError. */
  async delete(path: string): Promise<void> {
    await this.fetch('DELETE', path, {});
  }

  /**
   * The events of `GET /events` by name, until the signal aborts or the connection ends. `onOpen` is called when the stream stands.
   * Errors: RestError.
   */
  async streamEvents(
    resource: readonly string[],
    on: { readonly open: () => void; readonly event: (name: string) => void },
    signal: AbortSignal,
  ): Promise<void> {
    const response = await this.fetch('GET', `/events${toQueryString({ resource })}`, {
      signal,
      accept: 'text/event-stream',
    });
    on.open();
    const parser = createParser({ onEvent: ({ event }) => on.event(event ?? '') });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      parser.feed(next.value);
  }

  private async fetch(
    method: string,
    path: string,
    given: {
      readonly body?: unknown;
      readonly json?: string;
      readonly signal?: AbortSignal | undefined;
      readonly accept?: string;
      readonly precondition?: Precondition;
    },
  ): Promise<Response> {
    const { body, json = JSON.stringify(body), signal, accept = 'application/json' } = given;
    const headers = { authorization: `Bearer ${this.credential}`, accept, ...given.precondition };
    const init = { method, ...(signal && { signal }), credentials: 'omit', redirect: 'error' } as const;
    let response: Response;
    try {
      response = await fetch(
        this.base + path,
        json === undefined
          ? { ...init, headers }
          : {
              ...init,
              headers: { ...headers, 'content-type': 'application/json' },
              body: json,
            },
      );
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown;
      if (method === 'GET') throw unreachable('Baton does not answer.');
      throw unreachable(
        'Baton does not answer: whether it has done this is not known. Look before you try again.',
      );
    }
    if (response.ok) return response;
    if (response.status === 401) this.onUnauthenticated();
    throw await readProblem(response);
  }
}

async function readTagged<T>(response: Response): Promise<WithEtag<T>> {
  return { value: (await response.json()) as T, etag: response.headers.get('etag') ?? '' };
}

async function readProblem(response: Response): Promise<RestError> {
  const problem = (await response.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    retryAfterMs?: number;
  };
  const { code = 'unavailable', detail = `Baton answers with HTTP ${response.status}.` } = problem;
  return new RestError(code, response.status, detail, retryAfterMs(response, problem));
}

/** A rate that is used up and a server that cannot take it now pass; the server says when. */
function retryAfterMs({ status, headers }: Response, problem: { retryAfterMs?: number }): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return problem.retryAfterMs ?? (Number.isFinite(seconds) ? seconds * 1_000 : RETRY_MS);
}

function unreachable(message: string): RestError {
  return new RestError('unreachable', 0, message, RETRY_MS);
}

function toQueryString(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, String(one)]),
  );
  const text = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return text === '' ? '' : `?${text}`;
}
