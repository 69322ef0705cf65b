import type { Awaited } from '@baton/engine';

type LocalKind = 'read' | 'commit' | 'check';
export type LocalEffect = Extract<Awaited['effect'], { kind: LocalKind }>;

/** True for an effect that the segment performs itself, without waiting. */
export function isLocalEffect(effect: Awaited['effect']): effect is LocalEffect {
  return effect.kind === 'read' || effect.kind === 'commit' || effect.kind === 'check';
}
