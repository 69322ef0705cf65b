import { type Message, messageText } from '@baton/protocol';

/** What a request asks for, and the prose in it from which answers are made. */
export interface RequestFacts {
  /** How many items the request asks for, if it says so. */
  readonly count: number | undefined;
  /** The first id to give out. */
  readonly firstId: number;
  /** The ids that the request asks about, if it names any. */
  readonly ids: readonly number[];
  readonly headings: readonly string[];
  readonly sentences: readonly string[];
}

/**
 * Reads a dialog. The prose is the content of the longest fenced block (`<name>...</name>`), the request is the text
 * around the blocks; without a block, the whole user text is both.
 */
export function parseRequestFacts(messages: readonly Message[]): RequestFacts {
  const text = messages
    .filter(({ role }) => role === 'user')
    .map(messageText)
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

/** Replaces lines of JSON by their titles and descriptions, so that answers never quote JSON. */
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

/** Answers become part of later requests: without a limit their sentences would grow with each round. */
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
