/** The values of a template's variables, decoded. */
export type Variables = Readonly<Record<string, string>>;

/** The longest project's key with the longest file's name fits in it, each byte percent-encoded. */
const MAX_URI = 16_384;

/**
 * A URI template (RFC 6570) of the two forms that resources have: `{name}` stands for a whole part of the path,
 * `{?name}` at the end for a query that may be left out. Values are percent-encoded in a URI, and decoded here; the
 * SDK's own matching gives them as they stand.
 */
export class UriTemplate {
  readonly text: string;
  /** The template without its query. */
  readonly path: string;
  readonly variables: readonly string[];
  private readonly parts: readonly string[];
  private readonly query: string | undefined;

  constructor(text: string) {
    const [, path = '', query] = /^([^?]*?)(?:\{\?(\w+)\})?$/.exec(text) ?? [];
    this.text = text;
    this.path = path;
    this.parts = path.split('/');
    this.query = query;
    this.variables = [...this.parts.flatMap((part) => nameOf(part) ?? []), ...(query ? [query] : [])];
  }

  /** The values that make this URI of the template, or undefined where none do. */
  match(uri: string): Variables | undefined {
    if (uri.length > MAX_URI || uri.includes('#')) return undefined;
    const [path = '', ...queries] = uri.split('?');
    const given = path.split('/');
    if (given.length !== this.parts.length || queries.length > 1) return undefined;
    const values: Record<string, string> = {};
    for (const [at, part] of this.parts.entries()) {
      const name = nameOf(part);
      const value = given[at] ?? '';
      if (name === undefined && value !== part) return undefined;
      if (name === undefined) continue;
      const decoded = decode(value);
      if (decoded === undefined) return undefined;
      values[name] = decoded;
    }
    const [query] = queries;
    if (query === undefined) return values;
    const [name, value = '', ...more] = query.split('=');
    if (name !== this.query || this.query === undefined || more.length > 0) return undefined;
    // What a template expands to for an empty value.
    if (value === '') return values;
    const decoded = decode(value);
    return decoded === undefined ? undefined : { ...values, [this.query]: decoded };
  }

  /** Whether values of an unfinished URI may make it one of the template; `unknown` stands in it for a value, which is no more than one part of the path. */
  mayMatch(uri: string, unknown: string): boolean {
    const [path = '', query, ...more] = uri.split('?');
    const given = path.split('/');
    const fits = (part: string, value: string) =>
      value.includes(unknown) || (nameOf(part) === undefined ? value === part : value !== '');
    if (uri.includes('#') || more.length > 0 || given.length !== this.parts.length) return false;
    if (!this.parts.every((part, at) => fits(part, given[at] ?? ''))) return false;
    const [name = ''] = query?.split('=') ?? [];
    return query === undefined || name.includes(unknown) || name === this.query;
  }

  /** The URI with these values. */
  expand(values: Variables): string {
    const path = this.parts.map((part) => {
      const name = nameOf(part);
      return name === undefined ? part : encodeURIComponent(values[name] ?? '');
    });
    const query = this.query === undefined ? undefined : values[this.query];
    return path.join('/') + (query === undefined ? '' : `?${this.query}=${encodeURIComponent(query)}`);
  }
}

function nameOf(part: string): string | undefined {
  return /^\{(\w+)\}$/.exec(part)?.[1];
}

/** A value is never empty: nothing has an empty name. */
function decode(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
