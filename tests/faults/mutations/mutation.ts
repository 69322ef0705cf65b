import type { Violation } from '../checker/violation.ts';
import type { ProxiedDeployment, ProxiedDeploymentOptions } from '../deployment/proxied-deployment.ts';
import type { Patch } from '../../processes/patched-release.ts';
import type { ManualClient } from '../clients/manual-client.ts';

/**
 * One guard removed from the shipped code, and a scenario in which its absence always shows. The scenario also runs on the
 * unmodified release, where the checker must find nothing: so it is the mutation that it catches.
 */
export interface Mutation {
  readonly name: string;
  readonly invariant: Violation['invariant'];
  readonly patches: readonly Patch[];
  readonly deploymentOptions: Omit<ProxiedDeploymentOptions, 'entry'>;
  /** Runs the scenario; no worker is started before. */
  runScenario(stage: MutationContext): Promise<void>;
}

export interface MutationContext {
  readonly deployment: ProxiedDeployment;
  /** Sends requests one by one. */
  readonly client: ManualClient;
}
