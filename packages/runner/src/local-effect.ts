import type { Awaited } from '@baton/engine';

type LocalKind = 'read' | 'commit' | 'check' | 'lookup';
export type LocalEffect = Extract<Awaited['effect'], { kind: LocalKind }>;

/** True for an effect that the segment performs itself, without waiting. */
export function isLocalEffect(effect: Awaited['effect']): effect is LocalEffect {
  const { kind } = effect;
  return kind === 'read' || kind === 'commit' || kind === 'check' || kind === 'lookup';
}
