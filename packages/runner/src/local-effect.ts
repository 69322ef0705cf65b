import type { Awaited } from '@baton/engine';

const LOCAL_KINDS = ['read', 'commit', 'check', 'lookup', 'turn', 'append'] as const;
type LocalKind = (typeof LOCAL_KINDS)[number];
export type LocalEffect = Extract<Awaited['effect'], { kind: LocalKind }>;

/** True for an effect that the segment performs itself, without waiting. */
export function isLocalEffect(effect: Awaited['effect']): effect is LocalEffect {
  return (LOCAL_KINDS as readonly string[]).includes(effect.kind);
}
