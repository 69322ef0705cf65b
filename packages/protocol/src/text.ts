/** The beginning of a text, at most `length` UTF-16 units, never ending in half a surrogate pair: half of one is no UTF-8. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*):\S*@/gi;
const QUERY_SECRET = /([?&][\w-]*(?:password|key|token|secret)=)[^\s&]*/gi;

/** A text with the passwords of the URLs in it masked, for whatever is printed or logged. */
export function maskUrlPasswords(text: string): string {
  return text.replace(URL_PASSWORD, '$1:***@').replace(QUERY_SECRET, '$1***');
}
