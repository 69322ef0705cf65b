import type { Violation } from '../checker/evidence.ts';
import type { Cluster, ClusterOptions } from '../cluster/cluster.ts';
import type { Patch } from '../../processes/patched-release.ts';
import type { ManualClient } from '../clients/manual-client.ts';

/**
 * One guard taken out of the shipped code, and a scene in which it is missed for certain. The scene is played on the
 * whole release too, where the checker must find nothing: so it is the mutation that it catches.
 */
export interface Mutation {
  readonly name: string;
  readonly invariant: Violation['invariant'];
  readonly patches: readonly Patch[];
  readonly clusterOptions: Omit<ClusterOptions, 'entry'>;
  /** Plays the scene; the workers are not started yet. */
  runScenario(stage: MutationContext): Promise<void>;
}

export interface MutationContext {
  readonly cluster: Cluster;
  /** Clients that do one thing when they are told to. */
  readonly client: ManualClient;
}
