import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages that the tests of this folder hold against the code: their fences, headings, tables and links. */
export const REPOSITORY_ROOT = new URL('../..', import.meta.url).pathname;

export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(REPOSITORY_ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `docs/${name}`),
];

export function readPage(page: string): string {
  return readFileSync(join(REPOSITORY_ROOT, page), 'utf8');
}

/** A page's text without its fenced blocks. */
export function readPageWithoutCode(page: string): string {
  return readPage(page).replace(/^```[\s\S]*?^```/gm, '');
}

export interface CodeBlock {
  readonly page: string;
  /** The heading above it. */
  readonly heading: string;
  /** The headings that it stands under, outermost first. */
  readonly headings: readonly string[];
  /** `sh`, `json`, ...; empty where the fence names none. */
  readonly kind: string;
  readonly text: string;
  /** What the HTML comment on the line above it says; empty where there is none. */
  readonly note: string;
}

/** The fenced blocks of a page, in their order. */
export function codeBlocksOf(page: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  const open: { level: number; title: string }[] = [];
  let before = '';
  let fence: { kind: string; lines: string[]; note: string } | undefined;
  for (const line of readPage(page).split('\n')) {
    if (fence !== undefined) {
      if (line === '```') {
        const headings = open.map(({ title }) => title);
        const { kind, lines, note } = fence;
        const text = lines.map((one) => `${one}\n`).join('');
        found.push({ page, heading: headings.at(-1) ?? '', headings, kind, text, note });
        fence = undefined;
      } else fence.lines.push(line);
      continue;
    }
    const [, kind] = /^```(\w*)$/.exec(line) ?? [];
    const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(line) ?? [];
    if (kind !== undefined) {
      fence = { kind, lines: [], note: /^<!-- (.*) -->$/.exec(before)?.[1] ?? '' };
    } else if (marks !== '') {
      while ((open.at(-1)?.level ?? 0) >= marks.length) open.pop();
      open.push({ level: marks.length, title });
    }
    before = line;
  }
  return found;
}

/**
 * The fenced blocks of one kind ('' for those that name none) under a heading, those of its subheadings included. Only one
 * page may have blocks under a heading of this name.
 */
export function codeBlocksUnder(heading: string, kind = 'sh'): string[] {
  const under = PAGES.flatMap(codeBlocksOf).filter(({ headings }) => headings.includes(heading));
  const pages = new Set(under.map(({ page }) => page));
  if (pages.size !== 1) {
    throw new Error(
      `'${heading}' has fenced blocks on ${pages.size} pages (${[...pages].join(', ')}), not on one`,
    );
  }
  return under.flatMap((fence) => (fence.kind === kind ? [fence.text] : []));
}

/** The cells of the rows of each table of a page, by the table's header row. */
export function tablesOf(page: string): { readonly header: readonly string[]; readonly rows: string[][] }[] {
  const tables: { header: readonly string[]; rows: string[][] }[] = [];
  const lines = readPageWithoutCode(page).split('\n');
  for (const [at, line] of lines.entries()) {
    if (!/^\|( -+:? \|)+$/.test(line)) continue;
    const rows: string[][] = [];
    for (let next = at + 1; lines[next]?.startsWith('|'); next++) rows.push(cellsOf(lines[next] ?? ''));
    tables.push({ header: cellsOf(lines[at - 1] ?? ''), rows });
  }
  return tables;
}

/** The rows of the one table of a page whose first column has this name. */
export function tableOf(page: string, first: string): string[][] {
  const found = tablesOf(page).filter(({ header }) => header[0] === first);
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${page} has ${found.length} tables whose first column is '${first}', not one`);
  }
  return found[0].rows;
}

/** A `|` inside a cell is written `\|`. */
function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** What stands in backticks in a text. */
export function inlineCodeIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
