import { loadLua } from './lua-source.ts';
import { compileBatchedScript, compileUnbatchedScript } from './compile-script.ts';
import type { CompiledScript, Incoming, ScriptCall } from './script-batch.ts';

/** A Lua script and its contract: the keys and arguments that it takes, by name. */
export interface Script<K extends string, A extends string> extends CompiledScript {
  /** Its file below lua/, without the ending. */
  readonly name: string;
  readonly keys: readonly K[];
  readonly args: readonly A[];
  /** Its reply is an acknowledgement: it is given when the replicas of Redis that are waited for confirm it. */
  readonly replicated: boolean;
  /** It brings content in from outside: refused while what Redis has free is for what was accepted. */
  readonly incoming: Incoming | undefined;
}

/** Whatever sends a script to Redis. */
export interface ScriptRunner {
  evaluate(
    script: CompiledScript & {
      readonly name: string;
      readonly replicated: boolean;
      readonly incoming: Incoming | undefined;
    },
    keys: ScriptCall['keys'],
    args: ScriptCall['args'],
  ): Promise<unknown[]>;
}

/** Loads and compiles `lua/<name>.lua`. Errors: as for `loadLua`. */
export function defineScript<const K extends string, const A extends string>(
  name: string,
  keys: readonly K[],
  args: readonly A[],
  {
    replicated = false,
    batched = false,
    incoming,
  }: { replicated?: boolean; batched?: boolean; incoming?: Incoming } = {},
): Script<K, A> {
  const source = loadLua(name, keys, args);
  const compiled = batched ? compileBatchedScript(source) : compileUnbatchedScript(source);
  return { name, keys, args, replicated, incoming, ...compiled };
}

/** The properties of a class that are texts. */
type TextProperty<T> = { [P in keyof T]: T[P] extends string ? P : never }[keyof T];

/**
 * Runs a script. Its keys are those of `keys` with their names (the tenant's, or the shard's), and the others are in `own`, which may
 * have more than it names. `more` are further KEYS or ARGV behind the named ones. Errors are Redis's own; refusals are in the reply (see
 * `refusal.ts` for what callers see).
 */
export function runScript<K extends string, A extends string, B extends object>(
  { connection, keys }: { readonly connection: ScriptRunner; readonly keys: B },
  script: Script<K, A>,
  own: Readonly<Record<Exclude<K, TextProperty<B>>, string>>,
  args: Readonly<Record<A, string | number>>,
  more: { readonly keys?: readonly string[]; readonly args?: readonly (string | number)[] } = {},
): Promise<unknown[]> {
  const owned = own as Readonly<Partial<Record<K, string>>>;
  const shared = keys as Readonly<Record<K, string>>;
  const allKeys: string[] = [];
  for (const key of script.keys) allKeys.push(owned[key] ?? shared[key]);
  if (more.keys) allKeys.push(...more.keys);
  const allArgs: (string | number)[] = [];
  for (const arg of script.args) allArgs.push(args[arg]);
  if (more.args) for (const arg of more.args) allArgs.push(arg);
  return connection.evaluate(script, allKeys, allArgs);
}
