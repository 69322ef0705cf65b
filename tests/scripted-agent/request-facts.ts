import type { Message } from '@baton/protocol';

/** What an agent has to work with: what it was asked for, and the words of the text that it was sent. */
export interface RequestFacts {
  /** How many items were asked for, where a number was named. */
  readonly count: number | undefined;
  /** Where numbering begins. */
  readonly firstId: number;
  /** The ids that were asked about, where the request names them. */
  readonly ids: readonly number[];
  readonly headings: readonly string[];
  readonly sentences: readonly string[];
}

/**
 * Reads a dialog: the request is what stands around the longest fenced block (`<name>...</name>`), the words come
 * from within it; without a fence all of the user's text is both.
 */
export function readRequestFacts(messages: readonly Message[]): RequestFacts {
  const text = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join('\n\n');
  const fenced = [...text.matchAll(/<([\w-]+)>\n([\s\S]*?)\n<\/\1>/g)];
  const longest = fenced.reduce(
    (best, [, , inside = '']) => (inside.length > best.length ? inside : best),
    '',
  );
  const request = fenced.reduce((rest, [block]) => rest.replace(block, ''), text);
  const source = proseOf(longest || text) || 'Nothing was said.';
  const sentences = sentencesOf(source);
  return {
    count: countOf(request),
    firstId: firstIdOf(request),
    ids: idsOf(request),
    headings: headingsOf(source),
    sentences,
  };
}

/** The words in lines of JSON, so that answers speak of what the request is about and do not quote its form. */
function proseOf(source: string): string {
  return source
    .split('\n')
    .map((line) => {
      if (!line.startsWith('{')) return line;
      try {
        const { title, description } = JSON.parse(line) as { title?: unknown; description?: unknown };
        return [title, description].filter((words) => typeof words === 'string').join('. ');
      } catch {
        return line;
      }
    })
    .join('\n');
}

function countOf(request: string): number | undefined {
  const asked =
    /\b(?:make|create|generate|give|write|list|plan)\b[^.\d\n]{0,20}(\d{1,3})\b[^.,\n]{0,30}\b(?:(?:sub)?tasks?|items?|entries|steps)\b/i;
  const [, count] = asked.exec(request) ?? [];
  return count === undefined ? undefined : Number(count);
}

function firstIdOf(request: string): number {
  const [, first] = /\bnumber\b[^.\n]{0,30}\bfrom (\d{1,9})\b/i.exec(request) ?? [];
  return first === undefined ? 1 : Number(first);
}

function idsOf(request: string): number[] {
  const [, ids = ''] = /\bfor these ids: ([\d, ]+)/i.exec(request) ?? [];
  return ids
    .split(',')
    .map(Number)
    .filter((id) => id > 0);
}

function headingsOf(source: string): string[] {
  const headings = source.split('\n').filter(isHeading);
  return headings.map((line) => line.replace(/^[#\s\d.]+/, '').trim()).filter((line) => line !== '');
}

/** A Markdown heading, a line that is underlined, or one in capitals. */
function isHeading(line: string, at: number, lines: readonly string[]): boolean {
  if (/^#{1,6}\s/.test(line)) return true;
  if (line.trim() !== '' && /^[=-]{3,}\s*$/.test(lines[at + 1] ?? '')) return true;
  return /^[\p{Lu}\d][\p{Lu}\d .,&/-]{5,}$/u.test(line) && /\p{Lu}{3}/u.test(line);
}

/** Words that come from answers become answers again: they must not grow. */
const LONGEST_SENTENCE = 300;

function sentencesOf(source: string): string[] {
  const lines = source.split('\n');
  const prose = lines
    .map((line, at) => (isHeading(line, at, lines) || /^[>|=-]/.test(line) ? '' : line))
    .map((line) => line.replace(/^\s*\d+\.\s+/, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  const found = prose
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence.length > 20)
    .map((sentence) => sentence.slice(0, LONGEST_SENTENCE));
  return found.length > 0 ? found : [source.trim().slice(0, 200) || 'Nothing was said.'];
}
