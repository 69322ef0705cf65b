import type { Violation } from '../evidence.ts';
import type { Fleet, FleetOptions } from '../fleet.ts';
import type { Patch } from '../release.ts';
import type { Hand } from './hand.ts';

/**
 * One guard taken out of the shipped code, and a scene in which it is missed for certain. The scene is played on the
 * whole release too, where the checker must find nothing: so it is the mutation that it catches.
 */
export interface Mutation {
  readonly name: string;
  readonly invariant: Violation['invariant'];
  readonly patches: readonly Patch[];
  readonly fleet: Omit<FleetOptions, 'entry'>;
  /** Plays the scene; the workers are not started yet. */
  play(stage: Stage): Promise<void>;
}

export interface Stage {
  readonly fleet: Fleet;
  /** Clients that do one thing when they are told to. */
  readonly hand: Hand;
}
