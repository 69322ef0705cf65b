import type { PubSub, Subscriber } from '../redis/pub-sub.ts';

/** Whose admission a call or a stream is held with. */
export interface AdmittedKey {
  readonly tenant: string;
  readonly id: string;
}

/** What is published when a key has ended, or, without one, when something of a tenant has changed that admits its keys. */
export function admissionMessage(tenant: string, keyId = ''): string {
  return keyId === '' ? tenant : `${tenant} ${keyId}`;
}

/**
 * The ends of admissions, of all tenants, on one channel: a key was revoked or rotated, a tenant suspended or changed. A replica
 * is subscribed to it from its start, so a call that begins to wait costs two entries of a map, which leave with it.
 */
export class AdmissionChanges implements Subscriber {
  private readonly held = new Map<string, Set<() => void>>();

  static async open(pubSub: PubSub, channel: string): Promise<AdmissionChanges> {
    const changes = new AdmissionChanges();
    await pubSub.subscribe(channel, changes);
    return changes;
  }

  /** Calls `onChange` whenever the key may have ended, until the returned function is called. */
  subscribe({ tenant, id }: AdmittedKey, onChange: () => void): () => void {
    const topics = [admissionMessage(tenant), admissionMessage(tenant, id)];
    for (const topic of topics) this.held.set(topic, (this.held.get(topic) ?? new Set()).add(onChange));
    return () => {
      for (const topic of topics) {
        const others = this.held.get(topic);
        others?.delete(onChange);
        if (others?.size === 0) this.held.delete(topic);
      }
    };
  }

  onMessage(message: string): void {
    for (const onChange of this.held.get(message) ?? []) onChange();
  }

  /** Ends that were published meanwhile are missed: every held call checks for itself. */
  onReconnect(): void {
    for (const onChange of new Set([...this.held.values()].flatMap((all) => [...all]))) onChange();
  }
}
