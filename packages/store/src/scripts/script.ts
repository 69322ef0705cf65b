import { readFileSync } from 'node:fs';
import type { Connection } from '../connection.ts';
import { forEachRun, forOneRun, type CompiledScript, shaOf } from './script-batch.ts';

/**
 * A Lua script and its contract. Every key comes in by name and none is built inside; the names in the Lua header
 * (`-- KEYS:`, `-- ARGV:`) and those declared here are held together when the script is loaded.
 *
 * Inside the script a key is `K_<name>` and an argument `A_<name>`; `A_rest` is where further ARGV begin; `kept` and
 * `later` save calls (see script-group.ts).
 */
export interface Script<K extends string, A extends string> extends CompiledScript {
  readonly name: string;
  readonly keys: readonly K[];
  readonly args: readonly A[];
  /** Its reply is an acknowledgement: it is given when the replicas of Redis that are waited for confirm it. */
  readonly replicated: boolean;
  /** It brings content in from outside: refused while what Redis keeps free is for what was accepted. */
  readonly incoming: boolean;
}

const folder = new URL('./lua/', import.meta.url);

/** Loads `scripts/<name>.lua`. Throws when the Lua header names other keys or arguments than given here. */
export function defineScript<const K extends string, const A extends string>(
  name: string,
  keys: readonly K[],
  args: readonly A[],
  {
    replicated = false,
    grouped = false,
    incoming = false,
  }: { replicated?: boolean; grouped?: boolean; incoming?: boolean } = {},
): Script<K, A> {
  const text = readFileSync(new URL(`${name}.lua`, folder), 'utf8');
  holdTogether(name, 'KEYS', header(text, 'KEYS'), keys);
  holdTogether(name, 'ARGV', header(text, 'ARGV'), args);
  const [shebang, ...body] = withIncludes(text).split('\n');
  const one = [prologue(keys, args), ...body].join('\n');
  const source = `${shebang}\n${grouped ? forEachRun(one) : forOneRun(one)}`;
  return { name, keys, args, source, replicated, grouped, incoming, sha: shaOf(source) };
}

/**
 * Runs a script. `more` are further KEYS or ARGV behind the named ones (`load` has keys, the others arguments).
 * Errors are Redis's own; see `refusal.ts` for what callers see.
 */
export function run<K extends string, A extends string>(
  connection: Connection,
  script: Script<K, A>,
  keys: Readonly<Record<K, string>>,
  args: Readonly<Record<A, string | number>>,
  more: { readonly keys?: readonly string[]; readonly args?: readonly (string | number)[] } = {},
): Promise<unknown[]> {
  const allKeys: string[] = [];
  for (const key of script.keys) allKeys.push(keys[key]);
  if (more.keys) allKeys.push(...more.keys);
  const allArgs: (string | number)[] = [];
  for (const arg of script.args) allArgs.push(args[arg]);
  if (more.args) for (const arg of more.args) allArgs.push(arg);
  return connection.evaluate(script, allKeys, allArgs);
}

function prologue(keys: readonly string[], args: readonly string[]): string {
  const named = (prefix: string, list: string, names: readonly string[]) =>
    names.map((name, index) => `local ${prefix}_${name} = ${list}[${index + 1}]`);
  return [...named('K', 'KEYS', keys), ...named('A', 'ARGV', args), `local A_rest = ${args.length + 1}`].join(
    ' ',
  );
}

function withIncludes(text: string): string {
  return text.replace(/^-- @include (\w+)$/gm, (_line, name: string) =>
    readFileSync(new URL(`include/${name}.lua`, folder), 'utf8'),
  );
}

function header(text: string, label: string): string[] {
  const line = new RegExp(`^-- ${label}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return line.split(/\s+/).filter((word) => word !== '' && !word.endsWith('...'));
}

function holdTogether(
  name: string,
  label: string,
  inLua: readonly string[],
  declared: readonly string[],
): void {
  if (inLua.join(' ') === declared.join(' ')) return;
  throw new Error(
    `scripts/${name}.lua has ${label} "${inLua.join(' ')}", its caller "${declared.join(' ')}"`,
  );
}
