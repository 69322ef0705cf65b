import type { FoundTags, TagSection } from './tag-sections.ts';

/**
 * Finds the tags of the given names. What stands in a tag is taken as it is written, other tags and `<` signs included:
 * models write code and comparisons there, over which parsers of XML stumble. A tag that is opened within another and not
 * closed there is part of the text. Linear in the text: each attempt to match ends at the next `<`.
 */
export function findXmlTags(text: string, names: readonly string[]): FoundTags {
  if (names.length === 0) return { sections: [], unclosed: [] };
  const pattern = new RegExp(`<(/?)(${names.map(escape).join('|')})(\\s[^<>]*|/)?>`, 'g');
  const found: { name: string; at: number; text: string }[] = [];
  const open: { name: string; at: number; from: number }[] = [];
  const depths = new Map<string, number>();
  const leave = (): { name: string; at: number; from: number } | undefined => {
    const left = open.pop();
    if (left !== undefined) depths.set(left.name, (depths.get(left.name) ?? 1) - 1);
    return left;
  };
  for (const match of text.matchAll(pattern)) {
    const [whole, slash, name = '', attributes = ''] = match;
    const from = match.index + whole.length;
    if (slash === '') {
      if (attributes.endsWith('/')) found.push({ name, at: match.index, text: '' });
      else {
        open.push({ name, at: match.index, from });
        depths.set(name, (depths.get(name) ?? 0) + 1);
      }
      continue;
    }
    if ((depths.get(name) ?? 0) === 0) continue;
    let left = leave();
    while (left !== undefined && left.name !== name) left = leave();
    if (left !== undefined)
      found.push({ name, at: left.at, text: contentOf(text.slice(left.from, match.index)) });
  }
  const sections: TagSection[] = found
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, text: inner }) => ({ name, text: inner }));
  return { sections, unclosed: [...new Set(open.map(({ name }) => name))] };
}

function contentOf(text: string): string {
  const inner = text.trim();
  return inner.startsWith('<![CDATA[') && inner.endsWith(']]>') ? inner.slice(9, -3).trim() : inner;
}

const escape = (name: string): string => name.replaceAll(/[.\\+*?^$()[\]{}|-]/g, '\\$&');
