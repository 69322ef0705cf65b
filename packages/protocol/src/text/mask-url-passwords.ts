const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*):\S*@/gi;
const QUERY_SECRET = /([?&][\w-]*(?:password|key|token|secret)=)[^\s&]*/gi;

/** A text with the passwords of the URLs in it masked, for whatever is printed or logged. */
export function maskUrlPasswords(text: string): string {
  return text.replace(URL_PASSWORD, '$1:***@').replace(QUERY_SECRET, '$1***');
}
