/** Twice the largest project that a tenant's limits allow, whose export is Baton's longest reply. */
const MOST_BYTES = 134_217_728;

/**
 * A reply's body as text. Errors: one that is longer than `most` bytes, which is read no further; those of fetch, which gives up a body of
 * which nothing comes for five minutes.
 */
export async function readReplyText({ body }: Response, most = MOST_BYTES): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // A loop that is left by an error cancels the body.
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > most) throw new Error(`The reply is longer than ${most} bytes.`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
