import type { Patch } from '../../processes/patched-release.ts';
import type { AttackedDeployment } from './attacked-deployment.ts';

/**
 * A class of attacks by someone with a key of scope `mcp`, or with no key. It runs against the built release, where it must
 * gain nothing, and against the release without the guard, where it must gain something: so it is the guard that holds.
 */
export interface Attack {
  readonly name: string;
  /** Takes the guard out of the release. */
  readonly withoutGuard: readonly Patch[];
  /** Settings of the processes beside the usual ones. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Returns what the attacker gained, a sentence each. Decides by what is sent and stored, never by how long it took. */
  run(target: AttackedDeployment): Promise<readonly string[]>;
}
