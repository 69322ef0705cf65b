/** A tag of reasoning as models write it: `/` where it closes, and its name. What it takes beside its name is bounded. */
export const REASONING_TAG = /<(\/?)(think|thinking|reasoning)(?:\s[^<>]{0,100})?>/i;

/**
 * Words without the reasoning that comes before them: a block in tags at their beginning, more than one even, or all up
 * to a closing tag that nothing opened. Tags that words speak of later stand.
 */
export function withoutReasoning(text: string): string {
  const tags = new RegExp(REASONING_TAG, 'gi');
  let from = 0;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    const [, closes, name = ''] = tag;
    if (closes === '' && text.slice(from, tag.index).trim() !== '') break;
    if (closes === '') tags.lastIndex = endOfReasoning(text, tags.lastIndex, name);
    from = tags.lastIndex;
  }
  return from === 0 ? text : text.slice(from).trimStart();
}

/** Behind the tag that closes reasoning; reasoning without one goes on to the end of the text. */
export function endOfReasoning(text: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}\\s{0,9}>`, 'gi');
  closing.lastIndex = from;
  return closing.exec(text) === null ? text.length : closing.lastIndex;
}
