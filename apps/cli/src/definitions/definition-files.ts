import { readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isRecord } from '@baton/protocol';
import { parseYaml, readJson } from '../settings/data-file.ts';
import { readUtf8 } from '../settings/read-utf8.ts';
import { ConfigurationError } from '../settings/environment.ts';

const ENDINGS = ['.json', '.yaml', '.yml'];

/** Aliases may be resolved to so many nodes in all. */
const MAX_ALIASES = 20;

/** A file of a definition: what it says, or why it cannot be read as one. */
export type DefinitionFile =
  | { readonly path: string; readonly name: string; readonly definition: Readonly<Record<string, unknown>> }
  | { readonly path: string; readonly problem: string };

/** The files that are named, and those of the folders that are named. Throws ConfigurationError for what is not there. */
export function findDefinitionFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new ConfigurationError(`${path}: there is no such file or folder`);
    if (!found.isDirectory()) return [path];
    const files = readdirSync(path)
      .filter((name) => ENDINGS.includes(extname(name)))
      .toSorted();
    if (files.length === 0)
      throw new ConfigurationError(`${path}: the folder has no file that ends in ${ENDINGS.join(', ')}`);
    return files.map((name) => join(path, name));
  });
}

const readYaml = (text: string): unknown =>
  parseYaml(text, { maxAliasCount: MAX_ALIASES, logLevel: 'error', schema: 'core' });

/** Reads a definition, JSON where the file's name ends with `.json`, otherwise YAML; `nameIn` says what it is called by. */
export function readDefinitionFile(
  path: string,
  nameIn: (definition: Readonly<Record<string, unknown>>) => unknown,
): DefinitionFile {
  try {
    const text = readUtf8(path);
    const definition: unknown = path.endsWith('.json') ? readJson(text) : readYaml(text);
    if (!isRecord(definition)) return { path, problem: 'is no definition: it has no fields' };
    const name = nameIn(definition);
    if (typeof name !== 'string') return { path, problem: 'name: is missing, or is no text' };
    return { path, name, definition };
  } catch (thrown) {
    return { path, problem: thrown instanceof Error ? thrown.message.trim() : 'cannot be read' };
  }
}
