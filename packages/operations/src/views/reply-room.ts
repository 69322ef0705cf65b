/** Bytes of the JSON of the items that a reply shows unless its caller says otherwise: some 15,000 tokens, which hosts take whole. */
const REPLY_BYTES = 60_000;

/** The first items whose JSON a reply has room for, one at least; `show` is called for no more than one behind them. */
export function fitReply<Item, Shown>(items: readonly Item[], show: (item: Item) => Shown): Shown[] {
  const shown: Shown[] = [];
  let bytes = 0;
  for (const item of items) {
    const next = show(item);
    bytes += Buffer.byteLength(JSON.stringify(next));
    if (bytes > REPLY_BYTES && shown.length > 0) break;
    shown.push(next);
  }
  return shown;
}
