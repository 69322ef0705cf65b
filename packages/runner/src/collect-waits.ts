import type { Awaited } from '@baton/engine';
import { BatonError, MAX_INTERACTIONS } from '@baton/protocol';
import type { Wait } from '@baton/store';

/**
 * The waits that PARK opens for what a program awaits; those in `open` are open already and left out.
 * Errors: `internal` when a task would open more interactions than its ids can number.
 */
export function collectWaits(
  awaited: readonly Awaited[],
  open: ReadonlySet<string>,
  interactions: number,
): Wait[] {
  const waits: Wait[] = [];
  for (const one of awaited) {
    const wait = open.has(one.path) ? undefined : waitOf(one);
    if (wait !== undefined) waits.push(wait);
  }
  if (interactions + waits.length > MAX_INTERACTIONS) {
    throw new BatonError(
      'internal',
      `A task may open ${MAX_INTERACTIONS} interactions; this one asks for more.`,
    );
  }
  return waits;
}

function waitOf({ path, effect }: Awaited): Wait | undefined {
  switch (effect.kind) {
    case 'sleep':
      return { kind: 'sleep', path, ms: effect.ms, limit: effect.limit };
    case 'llm':
      return { kind: 'llm', path, request: { call: effect.call } };
    default:
      return undefined;
  }
}
