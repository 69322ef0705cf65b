import { findOpaqueSpans, type OpaqueSpan } from './opaque-spans.ts';
import { type FoundTags, isTooMany, TOO_MANY_TAGS, type TagSection } from './tag-sections.ts';

/** The texts of all tags in all: a tag within another is in the text of both. */
const MAX_OVERLAP = 2;
const MIN_OVERLAP_LENGTH = 65_536;

/**
 * Finds the tags of the given names. What stands in a tag is taken as it is written, other tags and `<` signs included:
 * models write code and comparisons there, over which parsers of XML stumble. A tag that is opened within another and not
 * closed there is part of the text, and so are entities such as `&lt;`. Tags in comments, CDATA sections and a model's thoughts do not
 * count. Linear in the text: each attempt to match ends at the next `<` outside of quotes.
 */
export function findXmlTags(text: string, names: readonly string[]): FoundTags {
  if (names.length === 0) return { sections: [], unclosed: [] };
  const pattern = new RegExp(
    `<(/?)(${names.map(escape).join('|')})(\\s(?:[^<>"']|"[^"]*"|'[^']*')*|/)?>`,
    'g',
  );
  const opaque = findOpaqueSpans(text, names);
  let [hidden, opened] = [0, 0];
  const found: { name: string; at: number; text: string }[] = [];
  const open: { name: string; at: number; from: number }[] = [];
  const depths = new Map<string, number>();
  let room = Math.max(MIN_OVERLAP_LENGTH, MAX_OVERLAP * text.length);
  const leave = (): { name: string; at: number; from: number } | undefined => {
    const left = open.pop();
    if (left !== undefined) depths.set(left.name, (depths.get(left.name) ?? 1) - 1);
    return left;
  };
  for (const match of text.matchAll(pattern)) {
    while ((opaque[hidden]?.to ?? Infinity) <= match.index) hidden++;
    if ((opaque[hidden]?.from ?? Infinity) <= match.index) continue;
    const [whole, slash, name = '', attributes = ''] = match;
    const from = match.index + whole.length;
    if (slash === '') {
      if (isTooMany(++opened)) return TOO_MANY_TAGS;
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
    if (left === undefined) continue;
    room -= match.index - left.from;
    if (room < 0) return { sections: [], unclosed: [], problem: 'tags stand within each other too often' };
    found.push({ name, at: left.at, text: contentOf(text, left.from, match.index, opaque) });
  }
  const sections: TagSection[] = found
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, text: inner }) => ({ name, text: inner }));
  return { sections, unclosed: [...new Set(open.map(({ name }) => name))] };
}

/** What stands in a tag, CDATA sections as the text that they hold. */
function contentOf(text: string, from: number, to: number, opaque: readonly OpaqueSpan[]): string {
  const parts: string[] = [];
  let at = from;
  for (let next = firstFrom(opaque, from); next < opaque.length; next++) {
    const span = opaque[next] as OpaqueSpan;
    if (span.from >= to) break;
    if (span.text === undefined) continue;
    parts.push(text.slice(at, span.from), span.text);
    at = span.to;
  }
  return [...parts, text.slice(at, to)].join('').trim();
}

/** The first span at or behind a place, by halves. */
function firstFrom(spans: readonly OpaqueSpan[], place: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as OpaqueSpan).from < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

const escape = (name: string): string => name.replaceAll(/[.\\+*?^$()[\]{}|-]/g, '\\$&');
