const BLANK = /\s/g;
const ENDS_USER = /[:@/]/g;
/** The beginning of a secret parameter; names are shorter than the bound. */
const SECRET_PARAMETER = /[?&][\w-]{0,100}(?:password|key|token|secret)=/gi;
const ENDS_PARAMETER = /[\s&]/g;

/**
 * A text with the passwords of the URLs in it masked, for whatever is printed or logged. Linear in the text, which may be a tenant's, and
 * by expressions that take a bounded part at once: one that takes a word of megabytes whole can run out of stack.
 */
export function maskUrlPasswords(text: string): string {
  let masked = '';
  let from = 0;
  for (const { index } of text.matchAll(BLANK)) {
    masked += maskUserPassword(text.slice(from, index)) + text.charAt(index);
    from = index + 1;
  }
  return maskSecretParameters(masked + maskUserPassword(text.slice(from)));
}

function maskSecretParameters(text: string): string {
  let masked = '';
  let from = 0;
  for (const { 0: name, index } of text.matchAll(SECRET_PARAMETER)) {
    if (index < from) continue; // in the value of the one before
    const value = index + name.length;
    ENDS_PARAMETER.lastIndex = value;
    masked += `${text.slice(from, value)}***`;
    from = ENDS_PARAMETER.exec(text)?.index ?? text.length;
  }
  return masked + text.slice(from);
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
