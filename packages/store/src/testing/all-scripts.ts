import type { Script } from '../scripts/script.ts';
import * as scripts from '../scripts/registry.ts';

export type AnyScript = Script<string, string>;

/** Every script that there is, by its sha. */
export const ALL_SCRIPTS: ReadonlyMap<string, AnyScript> = new Map(
  Object.values(scripts as unknown as Record<string, AnyScript>).map((script) => [script.sha, script]),
);

/** The codes that a script's header says it may answer with, those of the admission included. */
export function documentedReplyCodes(script: AnyScript): string[] {
  const [, header = ''] = /-- Returns: ((?:.*\n)(?:--.*\n)*)/.exec(script.source) ?? [];
  const own = [...header.matchAll(/\{'([a-z_]+)'/g)].map((match) => match[1] ?? '');
  const admitted = header.includes('refusal of ADMIT')
    ? documentedReplyCodes(scripts.ADMIT).filter((code) => code !== 'ok')
    : [];
  return [...new Set([...own, ...admitted])].sort();
}
