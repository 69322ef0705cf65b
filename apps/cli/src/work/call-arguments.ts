import { isRecord, type JsonObject, parseJson } from '@baton/protocol';
import { UsageError } from '../process/exit-codes.ts';
import { readTextFile, readDataFile } from '../settings/data-file.ts';

const ASSIGNMENT = /^([A-Za-z_$][\w.$-]*)(:?=)([\s\S]*)$/;

/**
 * The arguments of a tool as they are typed: none, one JSON object, `@file` or `-` (standard input) with one as JSON or YAML, or words
 * `key=value`. A value is text, but for `true`, `false`, `null` and what begins with `{` or `[`; `key=@file` is a file's text, and
 * `key:=JSON` is JSON whatever it is. Digits stay text, which tools take for numbers, so that a subtask's id 1.10 stays what it is.
 * Errors: UsageError naming the word, ConfigurationError naming the file.
 */
export function readCallArguments(words: readonly string[]): JsonObject {
  const [first = '', ...more] = words;
  if (words.length === 0) return {};
  if (more.length === 0 && first.trimStart().startsWith('{')) return asObject(json(first, first), first);
  if (more.length === 0 && (first === '-' || first.startsWith('@')))
    return asObject(readDataFile(first === '-' ? '-' : first.slice(1)), first);
  return Object.fromEntries(words.map(readAssignment));
}

function readAssignment(word: string): [string, JsonObject[string]] {
  const [, key, sign, text = ''] = ASSIGNMENT.exec(word) ?? [];
  if (key === undefined)
    throw new UsageError(`${word}: arguments are one JSON object, @file, - or words key=value`);
  if (sign === ':=') return [key, json(text, word)];
  if (text.startsWith('@')) return [key, readTextFile(text.slice(1))];
  return [key, /^(true|false|null)$|^[[{]/.test(text) ? json(text, word) : text];
}

function json(text: string, word: string): JsonObject[string] {
  try {
    return parseJson(text) as JsonObject[string];
  } catch (error) {
    throw new UsageError(
      `${word.slice(0, 100)}: is not JSON (${error instanceof Error ? error.message : 'unreadable'})`,
    );
  }
}

function asObject(value: unknown, word: string): JsonObject {
  if (isRecord(value)) return value as JsonObject;
  throw new UsageError(`${word.slice(0, 100)}: must hold an object, the arguments of the tool`);
}
