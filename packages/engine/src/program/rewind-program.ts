import type { ProgramDefinition } from './effect.ts';
import { type Entry, formatEntry, type Journal } from './journal.ts';
import type { Lines } from './line.ts';
import { replayLines } from './replay-program.ts';

/** What a journal loses, and what it is given, before its task goes on. */
export interface Rewind {
  readonly drops: readonly string[];
  readonly journal: readonly (readonly [path: string, entry: string])[];
}

const RETRY_ENTRY = formatEntry({ kind: 'retry', ok: true, value: null });

/**
 * Takes a journal back to where its task is retried from: in each line of effects that did not come to a good end, behind the last
 * thing that was paid for or that changed anything. Answers of no use, failures, and what was only read go, so that the program
 * asks its last request again, of the world as it is now. A turn of a conversation is taken again from its beginning. A journal that
 * another program wrote stays as it is, and so does one whose program has nothing to do but end.
 */
export function rewindProgram<Input>(
  program: ProgramDefinition<Input>,
  input: Input,
  journal: Journal,
): Rewind {
  const { step, lines } = replayLines(program, input, journal);
  if (step.status === 'completed' || lines.size === 0) return { drops: [], journal: [] };
  const drops = [...journal].flatMap(([path, entry]) => (isDropped(lines, path, entry) ? [path] : []));
  const marked = [...lines.values()].filter(
    (line) => line.checkpoint === line.kept && isCut(lines, line.prefix),
  );
  return { drops, journal: marked.map(({ prefix, kept }) => [`${prefix}${kept}`, RETRY_ENTRY] as const) };
}

function isDropped(lines: Lines, path: string, entry: Entry): boolean {
  for (const { line, place, rest } of placesOf(lines, path)) {
    if (line === undefined || place < line.kept) return false;
    if (place > line.kept || !line.keepsBranches) return true;
    // A branch that has collapsed.
    if (rest === 1) return !entry.ok || entry.repeatable === true;
  }
  return false;
}

/** Whether the line goes on from what is kept of it: it is the program itself, or stands in an `all` that is kept in part. */
function isCut(lines: Lines, prefix: string): boolean {
  return placesOf(lines, prefix.slice(0, -1)).every(
    ({ line, place, rest }) => rest === 0 || (line?.keepsBranches === true && place === line.kept),
  );
}

/** The lines that a path goes through, with its place in each, and how many parts of it are behind that. */
function placesOf(lines: Lines, path: string) {
  const parts = path.split('.');
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, level) => {
    const prefix = parts
      .slice(0, 2 * level)
      .map((part) => `${part}.`)
      .join('');
    return { line: lines.get(prefix), place: Number(parts[2 * level]), rest: parts.length - 2 * level - 1 };
  });
}
