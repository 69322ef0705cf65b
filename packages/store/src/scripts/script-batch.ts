/**
 * What a call brings in: work that is new, or an answer to what was accepted. Everything else ends work, gives bytes back, or
 * writes a few bytes, and is never refused for Redis's memory but by Redis itself.
 */
export type Incoming = 'new' | 'answer';

/** A script as Redis runs it. `batched`: one command may carry several calls of it, `alone`: and does not. */
export interface CompiledScript {
  readonly source: string;
  readonly sha: string;
  readonly batched: boolean;
  readonly alone?: true;
}

/** One call: the KEYS and ARGV that the script itself sees. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/**
 * Encodes calls of one script as the arguments of one EVALSHA. A column is the nth key, or the nth argument, of every
 * call; a column that is equal in all calls is sent once. Most are: the calls of a tenant share nearly all keys.
 *
 *     KEYS   the shared key columns, then each call's other keys
 *     ARGV   1    how many calls
 *            2    the mask of key columns: a character for each, 1 for shared, 0 for not
 *            3    the mask of argument columns
 *            4..  for each call: how many keys, how many arguments
 *            ..   the shared argument columns, then each call's other arguments
 *
 * The Lua that decodes it is DECODE_CALLS in compile-script.ts. A script that is not batched gets its one call as it is.
 */
export function encodeBatch({ sha, batched }: CompiledScript, calls: readonly ScriptCall[]): string[] {
  const keys = calls.map((call) => call.keys);
  const args = calls.map((call) => call.args);
  const keyMask = sharedColumns(keys);
  const argMask = sharedColumns(args);

  const command = [sha, ''];
  pushRows(command, keys, keyMask);
  command[1] = `${command.length - 2}`;
  if (batched) {
    command.push(`${calls.length}`, keyMask, argMask);
    for (const call of calls) command.push(`${call.keys.length}`, `${call.args.length}`);
  }
  pushRows(command, args, argMask);
  return command;
}

/** Settles the caller of call `index` with its reply. */
export function settleCall(
  replies: readonly unknown[],
  index: number,
  caller: { resolve: (reply: unknown[]) => void; reject: (error: unknown) => void },
): void {
  const reply = replies[index];
  if (reply instanceof Error) caller.reject(reply);
  else caller.resolve(reply as unknown[]);
}

type Row = readonly (string | number)[];

/** The mask of the columns that are equal in all rows; empty where there is one row. */
function sharedColumns(rows: readonly Row[]): string {
  const [first = [], ...others] = rows;
  if (others.length === 0) return '';
  const width = Math.min(...rows.map((row) => row.length));
  let mask = '';
  for (let column = 0; column < width; column++)
    mask += others.every((row) => row[column] === first[column]) ? '1' : '0';
  return mask;
}

/** Appends the shared columns once, then the other columns of each row. */
function pushRows(command: string[], rows: readonly Row[], mask: string): void {
  for (let column = 0; column < mask.length; column++)
    if (mask[column] === '1') command.push(`${rows[0]?.[column]}`);
  for (const row of rows)
    for (let column = 0; column < row.length; column++)
      if (mask[column] !== '1') command.push(`${row[column]}`);
}
