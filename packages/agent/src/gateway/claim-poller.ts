import { BatonError } from '@baton/protocol';
import { randomUUID } from 'node:crypto';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { readClocks, type Moment } from '../timing/clock.ts';
import { type ClaimRequest, GatewayClient } from './gateway-client.ts';

/** How long releasing an unacknowledged claim may take before Baton counts as unavailable. */
const RELEASE_MS = 2_000;

export type ClaimReply =
  | {
      readonly kind: 'claimed';
      readonly requests: readonly DelegatedRequest[];
      readonly holder: string;
      /** Before the claim was sent: its leases run from here at the earliest. */
      readonly claimedAt: Moment;
    }
  /** `cancel` was called. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Claims requests over a connection of its own, since closing it is how a long poll is cancelled. Each claim has a
 * holder of its own. One whose reply was lost may have been given requests: it is released before the next claim, or
 * they would stay hidden until their leases run out.
 */
export class ClaimPoller {
  private readonly pollClient: GatewayClient;
  private readonly gateway: GatewayClient;
  private readonly agentId = randomUUID();
  private claims = 0;
  private polling = new AbortController();
  private unacknowledgedHolder: string | undefined;

  /** @param gateway releases holders. */
  constructor(options: { readonly url: string; readonly key: string }, gateway: GatewayClient) {
    this.pollClient = new GatewayClient(options);
    this.gateway = gateway;
  }

  /** Never throws; one call at a time. */
  async claim(wanted: Omit<ClaimRequest, 'holder'>, stopped: AbortSignal): Promise<ClaimReply> {
    this.polling = new AbortController();
    const cancelled = this.polling.signal;
    try {
      await this.releaseUnacknowledged();
      cancelled.throwIfAborted();
      const holder = `${this.agentId}/${++this.claims}`;
      const claimedAt = readClocks();
      const requests = await this.poll({ ...wanted, holder }, stopped);
      return { kind: 'claimed', requests, holder, claimedAt };
    } catch (error) {
      if (!cancelled.aborted) return { kind: 'failed', error };
      await this.releaseUnacknowledged().catch(() => {});
      return { kind: 'cancelled' };
    }
  }

  /** Ends a claim that is waiting for requests: the agent could not work on them now. */
  cancel(): void {
    this.polling.abort();
    void this.pollClient.close();
  }

  async close(): Promise<void> {
    await this.releaseUnacknowledged().catch(() => {});
    await this.pollClient.close();
  }

  private async poll(claim: ClaimRequest, stopped: AbortSignal): Promise<DelegatedRequest[]> {
    this.unacknowledgedHolder = claim.holder;
    try {
      const requests = await this.pollClient.claim(claim, stopped);
      this.unacknowledgedHolder = undefined;
      return requests;
    } catch (thrown) {
      // A refusal is a reply; `unavailable` may be a lost one.
      if (thrown instanceof BatonError && thrown.code !== 'unavailable')
        this.unacknowledgedHolder = undefined;
      throw thrown;
    }
  }

  private async releaseUnacknowledged(): Promise<void> {
    if (this.unacknowledgedHolder === undefined) return;
    await this.gateway.releaseHolder(this.unacknowledgedHolder, AbortSignal.timeout(RELEASE_MS));
    this.unacknowledgedHolder = undefined;
  }
}
