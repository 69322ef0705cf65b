import { sha1 } from '../scripts/compile-script.ts';
import { substituteFieldNames, substitutePlaces } from '../scripts/lua-source.ts';
import type { AnyScript } from './all-scripts.ts';

/** What is taken out of a script, and what stands there instead. */
export type Mutation = readonly [from: string, to: string];

/** A copy of a script with something taken out. Throws where there is nothing to take out, so no mutant is a fake. */
export function mutateScript<S extends AnyScript>(script: S, ...cuts: Mutation[]): S {
  let { source } = script;
  const substitute = (text: string) => substitutePlaces(substituteFieldNames(text), script.keys, script.args);
  for (const [from, to] of cuts.map(([from, to]) => [substitute(from), substitute(to)] as const)) {
    if (!source.includes(from)) throw new Error(`${script.name}.lua does not say: ${from}`);
    source = source.replaceAll(from, to);
  }
  return { ...script, source, sha: sha1(source) };
}
