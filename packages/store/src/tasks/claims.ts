import { parseInteractionId } from '@baton/protocol';
import { formatHolder, type Identity } from '../identity/identity.ts';
import { taskRef } from '../records/keys.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { CLAIM, RELEASE_HOLDER } from '../scripts/registry.ts';
import { RELEASED_HOLDER_TTL } from '../records/durations.ts';

/** One script ends so many claims at most. */
const RELEASED_AT_ONCE = 200;

/** For how long a claim is to last, and for whom. */
export interface ClaimRequest {
  readonly leaseMs: number;
  /** Distinguishes the claimers of one principal, such as two agents with one key. */
  readonly holder?: string | undefined;
}

/** Claims on a tenant's pending interactions. Until its lease ends a claim hides the interaction from other claims; it never blocks an answer. */
export class Claims extends TenantPart {
  /**
   * Claims one interaction, renews the holder's claim, or releases it when `leaseMs` is 0. Returns when the lease ends, in
   * milliseconds by Redis's clock, or undefined when the claim was released.
   * Errors: `interaction_claimed` while another holds it, `interaction_not_found` and what ended it, those of an
   * admission that ended.
   */
  async claim(
    identity: Identity,
    interactionId: string,
    { leaseMs, holder = '' }: ClaimRequest,
  ): Promise<number | undefined> {
    const parsed = parseInteractionId(interactionId);
    if (parsed === undefined) throw refusalError(['interaction_not_found'], { interactionId });
    const { keys } = this.context;
    const { taskId, number } = parsed;
    const claimer = formatHolder(identity, holder);
    const reply = await runScript(
      this.context,
      CLAIM,
      { credential: credentialOf(identity, keys), task: keys.task(taskId), holder: keys.holder(claimer) },
      {
        ...admissionRecheckArgs(identity),
        topic: keys.topic(taskId),
        ref: taskRef(taskId),
        number,
        lease: leaseMs,
        claimer,
      },
    );
    if (reply[0] === 'claimed') return Number(reply[1]);
    if (reply[0] === 'released') return undefined;
    throw refusalError(reply, { interactionId });
  }

  /**
   * Releases all claims of a holder, and refuses it new ones for RELEASED_HOLDER_TTL: a claim that it sent before, whose
   * reply was lost, must not take effect afterwards.
   */
  async releaseHolder(identity: Identity, holder: string): Promise<void> {
    const { keys } = this.context;
    const released = { holder: keys.holder(formatHolder(identity, holder)) };
    for (let left = true; left; ) {
      const reply = await runScript(this.context, RELEASE_HOLDER, released, {
        topic: keys.pendingTopic,
        life: RELEASED_HOLDER_TTL,
        limit: RELEASED_AT_ONCE,
      });
      left = reply[2] === 1;
    }
  }
}
