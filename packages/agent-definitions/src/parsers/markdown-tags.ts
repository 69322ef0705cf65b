import { type FoundTags, isTooMany, TOO_MANY_TAGS, type TagSection } from './tag-sections.ts';

/**
 * Finds the fenced code blocks (CommonMark 0.31, section 4.5) whose info string begins with one of the given names. A block
 * holds shorter fences, and those of the other character, as text; one that never ends is unclosed. One pass over the lines, of
 * which only those that may be fences are read.
 */
export function findMarkdownTags(text: string, names: readonly string[]): FoundTags {
  const wanted = new Set(names);
  const sections: TagSection[] = [];
  let opened = 0;
  let block: { fence: string; name: string; from: number } | undefined;
  for (let at = 0, end = 0; at <= text.length; at = end + 1) {
    end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    if (!mayBeFence(text, at)) continue;
    const line = text.slice(at, text[end - 1] === '\r' ? end - 1 : end);
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (block === undefined) {
      // The info string of a fence of backticks holds none: that is code within a line.
      if (fence === '' || (fence.startsWith('`') && info.includes('`'))) continue;
      if (isTooMany(++opened)) return TOO_MANY_TAGS;
      block = { fence, name: /^\s*(\S*)/.exec(info)?.[1] ?? '', from: end + 1 };
    } else if (fence.startsWith(block.fence) && info.trim() === '') {
      const { name, from } = block;
      if (wanted.has(name))
        sections.push({ name, text: text.slice(from, at).replaceAll('\r\n', '\n').trim() });
      block = undefined;
    }
  }
  return { sections, unclosed: block !== undefined && wanted.has(block.name) ? [block.name] : [] };
}

/** Whether a line begins with a character of fences, behind at most three blanks. */
function mayBeFence(text: string, lineStart: number): boolean {
  let at = lineStart;
  while (at < lineStart + 3 && text[at] === ' ') at++;
  return text[at] === '`' || text[at] === '~';
}
