import type { FoundTags, TagSection } from './tag-sections.ts';

/**
 * Finds the fenced code blocks (CommonMark 0.31, section 4.5) whose info string begins with one of the given names. A block
 * holds shorter fences, and those of the other character, as text; one that never ends is unclosed. One pass over the lines.
 */
export function findMarkdownTags(text: string, names: readonly string[]): FoundTags {
  const wanted = new Set(names);
  const sections: TagSection[] = [];
  let block: { fence: string; name: string; lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (block === undefined) {
      // The info string of a fence of backticks holds none: that is code within a line.
      const opens = fence !== '' && !(fence.startsWith('`') && info.includes('`'));
      if (opens) block = { fence, name: /^\s*(\S*)/.exec(info)?.[1] ?? '', lines: [] };
    } else if (fence.startsWith(block.fence) && info.trim() === '') {
      if (wanted.has(block.name)) sections.push({ name: block.name, text: block.lines.join('\n').trim() });
      block = undefined;
    } else {
      block.lines.push(line);
    }
  }
  return { sections, unclosed: block !== undefined && wanted.has(block.name) ? [block.name] : [] };
}
