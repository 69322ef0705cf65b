import type { WireError } from '@baton/protocol';
import type { EffectKind } from './effect.ts';
import type { Content } from './result-content.ts';

/**
 * The recorded outcomes of a task's effects, each under its path: `2` is the third effect of the program, `2.0.1` the
 * second effect of the first branch of the `all` that stands there. `2.0` is that branch, collapsed to its value.
 */
export type Journal = ReadonlyMap<string, Entry>;

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: WireError };

/** `retry` stands at a checkpoint from which the task was retried. */
export type EntryKind = EffectKind | 'branch' | 'retry';
/**
 * `content`: of a collapsed entry, what was added to the task's result under it. `repeatable`: nothing that was paid for, or
 * that changed anything, came of it, so that a retry of the task runs it again.
 */
export type Entry = Outcome & {
  readonly kind: EntryKind;
  readonly content?: Content;
  readonly repeatable?: true;
};

const NO_CONTENT: Content = { blocks: [], dropped: 0 };

/**
 * An entry as text: its kind, `+` for a value, `*` for a value with content or `-` for an error, then JSON. The store's
 * scripts write such texts without parsing: `llm+` and the answer as it came.
 */
export function formatEntry(entry: Entry): string {
  if (entry.ok && (entry.content !== undefined || entry.repeatable)) {
    const { kind, value = null, content = NO_CONTENT, repeatable } = entry;
    return `${kind}*${JSON.stringify({ value, content, repeatable })}`;
  }
  return entry.ok
    ? `${entry.kind}+${JSON.stringify(entry.value ?? null)}`
    : `${entry.kind}-${JSON.stringify(entry.error)}`;
}

export function parseEntry(text: string): Entry {
  const [, kind, sign] = /^([a-z]+)([+-]|(?<=^(?:all|branch))\*)/.exec(text) ?? [];
  if (kind === undefined) throw new Error(`unreadable journal entry: ${text.slice(0, 40)}`);
  const payload: unknown = JSON.parse(text.slice(kind.length + 1));
  if (sign === '*') {
    const { value, content, repeatable } = payload as { value: unknown; content: Content; repeatable?: true };
    const hasContent = content.blocks.length > 0 || content.dropped > 0;
    return {
      kind: kind as EntryKind,
      ok: true,
      value,
      ...(hasContent && { content }),
      ...(repeatable && { repeatable }),
    };
  }
  return sign === '+'
    ? { kind: kind as EntryKind, ok: true, value: payload }
    : { kind: kind as EntryKind, ok: false, error: payload as WireError };
}
