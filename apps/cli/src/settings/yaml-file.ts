import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigurationError } from './environment.ts';

const STDIN = 0;

/** What a file holds, JSON or YAML; `-` is standard input. Throws ConfigurationError naming the file. */
export function readYamlFile(file: string): unknown {
  const text = readTextFile(file);
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigurationError(`${file}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** The text of a file; `-` is standard input. Throws ConfigurationError naming the file. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file === '-' ? STDIN : file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${file}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
