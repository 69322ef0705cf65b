import type { Connection } from '../redis/connection.ts';
import type { Script } from '../scripts/script.ts';
import { sha1 } from '../scripts/compile-script.ts';
import { substituteFieldNames } from '../scripts/lua-source.ts';
import * as scripts from '../scripts/registry.ts';

export type AnyScript = Script<string, string>;

/** Every script that there is, by its sha. */
export const ALL_SCRIPTS: ReadonlyMap<string, AnyScript> = new Map(
  Object.values(scripts as unknown as Record<string, AnyScript>).map((script) => [script.sha, script]),
);

/** What is taken out of a script, and what stands there instead. */
export type Mutation = readonly [from: string, to: string];

/** A copy of a script with something taken out. Throws where there is nothing to take out, so no mutant is a fake. */
export function mutateScript<S extends AnyScript>(script: S, ...cuts: Mutation[]): S {
  let { source } = script;
  for (const [from, to] of cuts.map(
    ([from, to]) => [substituteFieldNames(from), substituteFieldNames(to)] as const,
  )) {
    if (!source.includes(from)) throw new Error(`${script.name}.lua does not say: ${from}`);
    source = source.replaceAll(from, to);
  }
  return { ...script, source, sha: sha1(source) };
}

/** The codes that a script's header says it may answer with, those of the admission included. */
export function documentedReplyCodes(script: AnyScript): string[] {
  const [, header = ''] = /-- Returns: ((?:.*\n)(?:--.*\n)*)/.exec(script.source) ?? [];
  const own = [...header.matchAll(/\{'([a-z_]+)'/g)].map((match) => match[1] ?? '');
  const admitted = header.includes('refusal of ADMIT')
    ? documentedReplyCodes(scripts.ADMIT).filter((code) => code !== 'ok')
    : [];
  return [...new Set([...own, ...admitted])].sort();
}

/** Hears what each script of a connection answers, and can put a mutant in a script's place. */
export class ScriptInterceptor {
  private readonly runs: { readonly script: string; readonly reply: unknown[] }[] = [];
  private mutant: { readonly of: string; readonly script: AnyScript } | undefined;

  constructor(connection: Connection) {
    const straight = connection.evaluate.bind(connection);
    connection.evaluate = async (script, keys, args) => {
      const reply = await straight(this.mutant?.of === script.sha ? this.mutant.script : script, keys, args);
      this.runs.push({ script: ALL_SCRIPTS.get(script.sha)?.name ?? '', reply });
      return reply;
    };
  }

  replies(script: AnyScript): unknown[][] {
    return this.runs.filter((run) => run.script === script.name).map((run) => run.reply);
  }

  last(script: AnyScript): unknown[] {
    return this.replies(script).at(-1) ?? [];
  }

  /** The codes that a script has answered with so far. */
  codes(script: AnyScript): string[] {
    return [...new Set(this.replies(script).map(([code]) => String(code)))].sort();
  }

  /** Runs `body` with a mutant in the script's place. */
  async withMutant<T>(script: AnyScript, cuts: readonly Mutation[], body: () => Promise<T>): Promise<T> {
    this.mutant = { of: script.sha, script: mutateScript(script, ...cuts) };
    try {
      return await body();
    } finally {
      this.mutant = undefined;
    }
  }
}
