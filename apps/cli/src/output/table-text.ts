import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { plainLine } from './plain-text.ts';

type Cell = string | number | boolean | undefined;

const GAP = '  ';
/** The last column is wrapped down to this width; what is narrower is shown as a record below the other. */
const MIN_LAST_WIDTH = 16;

/**
 * Rows as columns of equal width, the first row being their names. Within `columns`, by default those of the terminal, the last column is wrapped, and where even that has no room
 * each row is a record of lines `name: value`; where the output is no terminal nothing is wrapped. Nothing in a cell moves a cursor.
 */
export function tableText(rows: readonly (readonly Cell[])[], columns = terminalColumns()): string {
  const texts = rows.map((row) => row.map((cell) => plainLine(String(cell ?? ''))));
  const [header = []] = texts;
  const widths = header.map((_, at) => Math.max(...texts.map((row) => stringWidth(row[at] ?? ''))));
  const last = header.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const lastWidth = columns === undefined ? Number.POSITIVE_INFINITY : columns - before;
  if (lastWidth < Math.min(MIN_LAST_WIDTH, widths[last] ?? 0)) return recordsText(texts, columns ?? 80);
  return texts.flatMap((row) => linesOf(row, widths, lastWidth)).join('\n');
}

function linesOf(row: readonly string[], widths: readonly number[], lastWidth: number): string[] {
  const last = widths.length - 1;
  const wrapped = Number.isFinite(lastWidth) ? wrap(row[last] ?? '', lastWidth) : [row[last] ?? ''];
  return wrapped.map((part, line) =>
    [...row.slice(0, last).map((cell, at) => padded(line === 0 ? cell : '', widths[at] ?? 0)), part]
      .join(GAP)
      .trimEnd(),
  );
}

function recordsText([header = [], ...rows]: readonly (readonly string[])[], columns: number): string {
  return rows
    .map((row) =>
      row
        .flatMap((cell, at) => (cell === '' ? [] : wrap(`${header[at] ?? ''}: ${cell}`, columns)))
        .join('\n'),
    )
    .join('\n\n');
}

function wrap(text: string, columns: number): string[] {
  return wrapAnsi(text, Math.max(1, columns), { hard: true }).split('\n');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));
}

/** Narrower terminals are treated as this wide. */
const MIN_COLUMNS = 20;

/** How wide the terminal is; undefined where the output is none: lines are then whole, for who searches in them. */
function terminalColumns(): number | undefined {
  return process.stdout.isTTY ? Math.max(MIN_COLUMNS, process.stdout.columns || 80) : undefined;
}
