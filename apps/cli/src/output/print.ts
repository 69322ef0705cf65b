import { jsonText, plainText } from './plain-text.ts';
import { tableText } from './table-text.ts';

/** What a command says: a text or a table for people, the value behind it for programs. */
export interface Output {
  readonly value: unknown;
  readonly text?: string;
  /** The first row has the names of the columns. */
  readonly table?: readonly (readonly (string | number | boolean | undefined)[])[];
  /** What stands below it, for people alone. */
  readonly notes?: readonly string[];
}

/** Writes to standard output: with `json` the value, otherwise the text, tables as wide as the terminal. */
export function print(
  { value, text, table, notes = [] }: Output,
  { json }: { readonly json?: boolean },
): void {
  if (json === true) return console.log(jsonText(value));
  const parts = [
    ...(text === undefined ? [] : [plainText(text)]),
    ...(table === undefined ? [] : [tableText(table)]),
    ...notes.map(plainText),
  ];
  return console.log(parts.join('\n'));
}
