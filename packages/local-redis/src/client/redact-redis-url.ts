/** The value with its password masked, for messages and logs; what cannot be parsed loses everything before its last `@`. */
export function redactRedisUrl(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url.replace(/^([a-z+]+:\/\/)?.*@/i, '$1***@');
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  if (parsed.searchParams.has('password')) parsed.searchParams.set('password', '***');
  return parsed.toString();
}
