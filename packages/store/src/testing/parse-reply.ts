/** A reply of Redis as a client gives it (RESP 2 or 3), without errors. */
export function parseReply(text: string): unknown {
  const bytes = Buffer.from(text);
  let at = 0;
  function line(): string {
    const end = bytes.indexOf('\r\n', at);
    const read = bytes.toString('utf8', at, end);
    at = end + 2;
    return read;
  }
  function value(): unknown {
    const head = line();
    const rest = head.slice(1);
    if (head.startsWith('_')) return null;
    if (head.startsWith(':')) return Number(rest);
    if (head.startsWith('+')) return rest;
    if (head.startsWith('*')) return rest === '-1' ? null : Array.from({ length: Number(rest) }, value);
    if (!head.startsWith('$')) throw new Error(`no reply: ${head}`);
    if (rest === '-1') return null;
    const read = bytes.toString('utf8', at, at + Number(rest));
    at += Number(rest) + 2;
    return read;
  }
  return value();
}
