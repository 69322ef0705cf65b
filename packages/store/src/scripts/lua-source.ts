import { readdirSync, readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '@baton/protocol';
import { RECORD_GRACE, STREAM_PUBLISH_INTERVAL, USAGE_DAY_TTL } from '../records/durations.ts';
import { STORED_WEIGHTS } from '../records/stored-weights.ts';
import { FIELD, INTERACTION_FIELD_PATTERN } from '../records/task-record.ts';

const FOLDER = new URL('./lua/', import.meta.url);

/** A script in its parts: keys and arguments are places in KEYS and ARGV, the names of fields literals. */
export interface LuaSource {
  /** The first line, which says what Redis may do with the script. */
  readonly shebang: string;
  /** The includes: functions and constants, which are the same for all calls of a command. */
  readonly includes: string;
  /** What one call runs. */
  readonly body: string;
}

/**
 * Loads `lua/<name>.lua` and what it calls of `lua/include/`. Inside it a key is `K_<name>`, an argument `A_<name>`, and `A_rest` is where further ARGV begin;
 * `W_<name>` is a weight of stored-weights.ts, `DEFAULT_LIMITS` a table of the limits that a tenant's record may lack,
 * `RECORD_GRACE`, `USAGE_DAY_TTL` and `STREAM_PUBLISH_INTERVAL` those of durations.ts.
 * Throws for a key or an argument that the script names and its caller does not give, and for an unknown field.
 */
export function loadLua(name: string, keys: readonly string[], args: readonly string[]): LuaSource {
  const text = readLua(name);
  refuseUnknownNames(name, text, 'K', keys);
  refuseUnknownNames(name, text, 'A', args);
  const [shebang = '', ...own] = text.split('\n');
  const substitute = (code: readonly string[]) =>
    substitutePlaces(substituteConstants(code.join('\n')), keys, args);
  return { shebang, includes: substitute(includesOf(text)), body: substitute(own) };
}

export function readLua(name: string): string {
  return readFileSync(new URL(`${name}.lua`, FOLDER), 'utf8');
}

/** Puts a task's field as it is stored in the place of each `F_<name>`, so that a run looks nothing up. */
export function substituteFieldNames(text: string): string {
  return text.replace(/\bF_(\w+)\b/g, (constant, name: string) => {
    const stored = name === 'of_interactions' ? INTERACTION_FIELD_PATTERN : FIELD[name as keyof typeof FIELD];
    if (stored === undefined) throw new Error(`a task's record has no field ${constant}`);
    return `'${stored}'`;
  });
}

function substituteConstants(text: string): string {
  return substituteFieldNames(text)
    .replaceAll('DEFAULT_LIMITS', LIMITS_TABLE)
    .replaceAll('USAGE_DAY_TTL', String(USAGE_DAY_TTL))
    .replaceAll('RECORD_GRACE', String(RECORD_GRACE))
    .replaceAll('STREAM_PUBLISH_INTERVAL', String(STREAM_PUBLISH_INTERVAL))
    .replace(/\bW_(\w+)\b/g, (constant, name: string) => {
      const weight = STORED_WEIGHTS[name as keyof typeof STORED_WEIGHTS];
      if (weight === undefined) throw new Error(`there is no weight ${constant}`);
      return String(weight);
    });
}

const LIMITS_TABLE = `{${Object.entries(DEFAULT_LIMITS)
  .map(([name, most]) => `${name} = '${most}'`)
  .join(', ')}}`;

/** The files of `include/`, by each function that they have. */
const INCLUDES: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL('include/', FOLDER)).flatMap((file) => {
    const text = readLua(`include/${file.replace(/\.lua$/, '')}`);
    return [...text.matchAll(/^local function (\w+)/gm)].map(([, name = '']) => [name, text] as const);
  }),
);

/** The files of `include/` whose functions a script names, and those that these need, each behind what it needs. */
export function includesOf(text: string, found: string[] = []): string[] {
  for (const [word] of text.replace(/--.*|'[^'\n]*'/g, '').matchAll(/\w+/g)) {
    const include = INCLUDES.get(word);
    if (include === undefined || include === text || found.includes(include)) continue;
    includesOf(include, found);
    found.push(include);
  }
  return found;
}

/** Puts the place of each key and argument in place of its name. A key that the script lacks stays as it is: an include may have a function for it that this script does not call. */
export function substitutePlaces(text: string, keys: readonly string[], args: readonly string[]): string {
  const place = (list: string, index: number, constant: string) =>
    index < 0 ? constant : `${list}[${index + 1}]`;
  return text
    .replace(/\bK_(\w+)\b/g, (constant, name: string) => place('KEYS', keys.indexOf(name), constant))
    .replace(/\bA_rest\b/g, String(args.length + 1))
    .replace(/\bA_(\w+)\b/g, (constant, name: string) => place('ARGV', args.indexOf(name), constant));
}

function refuseUnknownNames(
  name: string,
  text: string,
  letter: 'K' | 'A',
  declared: readonly string[],
): void {
  for (const [constant, key = ''] of text.matchAll(new RegExp(`\\b${letter}_(\\w+)`, 'g')))
    if (key !== 'rest' && !declared.includes(key))
      throw new Error(`${name}.lua has ${constant}, which its caller does not give`);
}
