/** Where to connect, and as whom. */
export type Endpoint = {
  readonly username: string | undefined;
  readonly password: string | undefined;
} & (
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp' | 'tls'; readonly host: string; readonly port: number }
);

/**
 * Reads `redis://`, `rediss://`, `unix://` or a bare absolute socket path.
 * @throws Error saying what is wrong, without repeating the value (it may hold a password).
 */
export function parseRedisUrl(url: string): Endpoint {
  if (url.startsWith('/')) {
    return { kind: 'unix', path: url.replace(/\?.*$/, ''), username: undefined, password: undefined };
  }
  if (!URL.canParse(url)) throw new Error('it is not a URL');
  const parsed = new URL(url);
  const username = decodeURIComponent(parsed.username) || undefined;
  const password = decodeURIComponent(parsed.password) || undefined;
  if (parsed.protocol === 'unix:') {
    return { kind: 'unix', path: decodeURIComponent(parsed.pathname), username, password };
  }
  if (parsed.protocol !== 'redis:' && parsed.protocol !== 'rediss:') {
    throw new Error(`the scheme must be redis://, rediss:// or unix://, not ${parsed.protocol}//`);
  }
  if (parsed.hostname === '') throw new Error('it names no host');
  return {
    kind: parsed.protocol === 'rediss:' ? 'tls' : 'tcp',
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? 6379 : Number(parsed.port),
    username,
    password,
  };
}

/** The value with its password masked, for messages and logs; what cannot be parsed loses everything before its last `@`. */
export function redactRedisUrl(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url.replace(/^([a-z+]+:\/\/)?.*@/i, '$1***@');
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '***');
  return parsed.toString();
}
