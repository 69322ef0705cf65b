const WORD = /\S+/g;
const USER_OF_URL = /:\/\/[^:@/]*:/;
const QUERY_SECRET = /([?&][\w-]*(?:password|key|token|secret)=)[^\s&]*/gi;

/** A text with the passwords of the URLs in it masked, for whatever is printed or logged. Linear in the text, which may be a tenant's. */
export function maskUrlPasswords(text: string): string {
  return text.replace(WORD, maskUserPassword).replace(QUERY_SECRET, '$1***');
}

/** A password may hold any sign, `@` too: it goes on to the last one of its word. */
function maskUserPassword(word: string): string {
  const user = USER_OF_URL.exec(word);
  const from = user === null ? Infinity : user.index + user[0].length;
  const to = word.lastIndexOf('@');
  return from > to ? word : `${word.slice(0, from)}***${word.slice(to)}`;
}
