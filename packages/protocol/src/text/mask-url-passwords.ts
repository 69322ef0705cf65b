const BLANK = /\s/g;
const ENDS_USER = /[:@/]/g;
const QUERY_SECRET = /([?&][\w-]*(?:password|key|token|secret)=)[^\s&]*/gi;

/**
 * A text with the passwords of the URLs in it masked, for whatever is printed or logged. Linear in the text, which may be a tenant's, and
 * word by word: an expression that takes a word of megabytes whole can run out of stack.
 */
export function maskUrlPasswords(text: string): string {
  let masked = '';
  let from = 0;
  for (const { index } of text.matchAll(BLANK)) {
    masked += maskUserPassword(text.slice(from, index)) + text.charAt(index);
    from = index + 1;
  }
  return (masked + maskUserPassword(text.slice(from))).replace(QUERY_SECRET, '$1***');
}

/** A password may hold any sign, `@` too: it goes on to the last one of its word. */
function maskUserPassword(word: string): string {
  const from = passwordStart(word);
  const to = word.lastIndexOf('@');
  return from === undefined || from > to ? word : `${word.slice(0, from)}***${word.slice(to)}`;
}

/** Behind the first `://user:` of a word. */
function passwordStart(word: string): number | undefined {
  for (let scheme = word.indexOf('://'); scheme !== -1; scheme = word.indexOf('://', scheme + 3)) {
    ENDS_USER.lastIndex = scheme + 3;
    const end = ENDS_USER.exec(word);
    if (end === null) return undefined;
    if (end[0] === ':') return end.index + 1;
  }
  return undefined;
}
