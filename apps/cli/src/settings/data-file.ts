import {
  describeYamlFault,
  isRecord,
  JsonTextError,
  LARGE_JSON_TEXT_BOUNDS,
  parseJson,
} from '@baton/protocol';
import { type DocumentOptions, parse, type ParseOptions, type SchemaOptions, type ToJSOptions } from 'yaml';
import { ConfigurationError } from './environment.ts';
import { readUtf8 } from './read-utf8.ts';

const STDIN = 0;

/**
 * What a file holds, JSON or YAML; `-` is standard input. A name that ends with `.json` is JSON and nothing else; other text that begins as
 * JSON does is read as YAML only where it is no JSON. Numbers that would come out as others are refused, as Baton refuses
 * them in a body. Throws ConfigurationError naming the file.
 */
export function readDataFile(file: string): unknown {
  const text = readTextFile(file);
  try {
    if (file.toLowerCase().endsWith('.json')) return readJson(text);
    return /^\s*[[{]/.test(text) ? readJsonOrYaml(text) : readYaml(text);
  } catch (error) {
    throw new ConfigurationError(`${file}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** The text of a file in UTF-8; `-` is standard input. Throws ConfigurationError naming the file. */
export function readTextFile(file: string): string {
  try {
    return readUtf8(file === '-' ? STDIN : file);
  } catch (error) {
    throw new ConfigurationError(`${file}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** A text that is to be YAML, whose keys are texts, as those of JSON are. @throws Error whose message goes on after the file's name. */
export function parseYaml(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions & ToJSOptions,
): unknown {
  try {
    return parse(text, { ...options, stringKeys: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : 'unreadable';
    throw new Error(describeYamlFault(text, reason), { cause: error });
  }
}

/** A text that is to be JSON. @throws Error whose message goes on after the file's name. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text, LARGE_JSON_TEXT_BOUNDS);
  } catch (error) {
    if (!(error instanceof JsonTextError) || error.fault !== 'malformed') throw error;
    throw new Error(`is not JSON that Baton takes: ${error.message}`, { cause: error });
  }
}

/** Braces and brackets are YAML too. Of what is neither, the fault as JSON is said. */
function readJsonOrYaml(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw error;
    let value: unknown;
    try {
      value = parseYaml(text, { intAsBigInt: true });
    } catch {
      throw error;
    }
    return withExactNumbers(value);
  }
}

const readYaml = (text: string) => withExactNumbers(parseYaml(text, { intAsBigInt: true }));

/** A value of YAML, whose integers were read as bigint, as JSON has it. @throws Error for a number that JSON would change. */
function withExactNumbers(value: unknown, path = ''): unknown {
  const of = (inner: unknown, key: string | number) =>
    withExactNumbers(inner, path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map(of);
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, of(inner, key)]));
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  const number = Number(value);
  if (Number.isFinite(number) && String(number) === String(value)) return number;
  const place = path === '' ? '' : ` at '${path}'`;
  throw new Error(`holds the number ${value}${place}, which would be read as ${number}; send it as a string`);
}
