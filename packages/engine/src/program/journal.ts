import type { WireError } from '@baton/protocol';
import type { EffectKind } from './effect.ts';

/**
 * The recorded outcomes of a task's effects, each under its path: `2` is the third effect of the program, `2.0.1` the
 * second effect of the first branch of the `all` that stands there. `2.0` is that branch, collapsed to its value.
 */
export type Journal = ReadonlyMap<string, Entry>;

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: WireError };

export type EntryKind = EffectKind | 'branch';
export type Entry = Outcome & { readonly kind: EntryKind };

/**
 * An entry as text: its kind, `+` for a value or `-` for an error, then JSON. The store's scripts write such texts
 * without parsing: `llm+` and the answer as it came.
 */
export function formatEntry(entry: Entry): string {
  return entry.ok
    ? `${entry.kind}+${JSON.stringify(entry.value ?? null)}`
    : `${entry.kind}-${JSON.stringify(entry.error)}`;
}

export function parseEntry(text: string): Entry {
  const [, kind, sign] = /^([a-z]+)([+-])/.exec(text) ?? [];
  if (kind === undefined) throw new Error(`unreadable journal entry: ${text.slice(0, 40)}`);
  const payload: unknown = JSON.parse(text.slice(kind.length + 1));
  return sign === '+'
    ? { kind: kind as EntryKind, ok: true, value: payload }
    : { kind: kind as EntryKind, ok: false, error: payload as WireError };
}
