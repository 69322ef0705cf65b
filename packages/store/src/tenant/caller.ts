import { createHmac } from 'node:crypto';
import { type KeyParts, type Scope, scope } from '@baton/protocol';
import type { Connection } from '../redis/connection.ts';
import type { TenantKeys } from '../records/keys.ts';
import { refusal } from '../records/refusal.ts';
import { run } from '../scripts/script.ts';
import { ADMIT, ADMISSION_DRY_RUN } from '../scripts/registry.ts';

/** Who calls, once it is known: a principal and what it may do. */
export interface Identity {
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Whether what is a principal's is shown to this caller. */
export function maySee(identity: Identity, principal: string): boolean {
  return identity.principal === principal || identity.scopes.has('agent');
}

/** How far into debt an answer may take the rate bucket, in bursts: it is the last thing to be refused. */
const ANSWER_FLOOR = -10;
const NO_FLOOR = -1_000_000_000;

/**
 * One request's credential. It is checked once per request, by the first script that the request runs: its own, if
 * it has one (`ticket`), otherwise ADMIT. No reply leaves before it was.
 */
export class Caller {
  private readonly connection: Connection;
  private readonly keys: TenantKeys;
  private readonly key: { readonly id: string; readonly digest: string } | undefined;
  private readonly bytes: number;
  private identity: Promise<Identity> | undefined;
  private admissionDone = false;

  private constructor(
    connection: Connection,
    keys: TenantKeys,
    key: { id: string; digest: string } | undefined,
    bytes: number,
    identity?: Identity,
  ) {
    this.connection = connection;
    this.keys = keys;
    this.key = key;
    this.bytes = bytes;
    if (identity) {
      this.identity = Promise.resolve(identity);
      this.admissionDone = true;
    }
  }

  /** A caller who shows a key; `bytes` is the size of the request's body. */
  static withKey(
    connection: Connection,
    keys: TenantKeys,
    key: KeyParts,
    pepper: string,
    bytes: number,
  ): Caller {
    return new Caller(connection, keys, { id: key.id, digest: cachedKeyDigest(key.text, pepper) }, bytes);
  }

  /** A caller whom Baton vouches for: the operator. */
  static trusted(connection: Connection, keys: TenantKeys, identity: Identity): Caller {
    return new Caller(connection, keys, undefined, 0, identity);
  }

  /** Makes sure that this caller may call now, with any of the scopes in `need`; counts the request once. */
  async admit(need: readonly Scope[], purpose: 'call' | 'answer' = 'call'): Promise<Identity> {
    if (this.identity === undefined && this.admissionDone) throw new Error('a script carried the admission already');
    this.identity ??= this.runAdmission(ADMIT, need, purpose === 'answer' ? ANSWER_FLOOR : 0);
    const identity = await this.identity;
    this.admissionDone = true;
    if (!need.some((scope) => identity.scopes.has(scope))) {
      throw refusal(['insufficient_scope', need.join(' ')]);
    }
    return identity;
  }

  /**
   * Throws what this caller would be refused with whatever it asks, an answer included, so that what it sends need not
   * be there yet. Counts nothing: the request is still to be admitted.
   */
  async dryRunAdmission(): Promise<void> {
    await this.runAdmission(ADMISSION_DRY_RUN, scope.options, ANSWER_FLOOR);
  }

  /**
   * Whether who was admitted before would be admitted now, and as whom. It is no request: the tenant's rate neither
   * refuses it nor pays for it. Errors: `unauthenticated`, `insufficient_scope`, `tenant_suspended`, `unavailable`.
   */
  recheck(need: readonly Scope[]): Promise<Identity> {
    return this.runAdmission(ADMISSION_DRY_RUN, need, NO_FLOOR);
  }

  /** True once some script has admitted the caller. */
  get admitted(): boolean {
    return this.admissionDone;
  }

  /**
   * The admission as arguments of a script of the call's own; `settle` is to be given the script's reply.
   */
  async admissionArgs(need: readonly Scope[], purpose: 'call' | 'answer' = 'call') {
    if (this.identity !== undefined || this.key === undefined) {
      const { principal, scopes } = await this.admit(need, purpose);
      return { ...ALREADY_ADMITTED, principal, scopes: formatScopes(scopes), need: need.join(' ') };
    }
    return {
      digest: this.key.digest,
      principal: '',
      scopes: '',
      need: need.join(' '),
      bytes: this.bytes,
      floor: purpose === 'answer' ? ANSWER_FLOOR : 0,
    };
  }

  /** Takes note of the reply of a script that carried the ticket: unless it refused the admission, that is done. */
  recordAdmission(reply: readonly unknown[]): void {
    const [code, limit] = reply;
    if (!ADMISSION_REFUSALS.has(String(code)) && limit !== 'requestBytes') this.admissionDone = true;
  }

  /** Takes note of who calls, as a script that carried the ticket told it: what follows needs no other admission. */
  setIdentity(identity: Identity): void {
    this.identity ??= Promise.resolve(identity);
  }

  get credentialKey(): string {
    return this.keys.credential(this.key?.id ?? '');
  }

  private async runAdmission(script: typeof ADMIT, need: readonly Scope[], floor: number): Promise<Identity> {
    const reply = await run(
      this.connection,
      script,
      { credential: this.credentialKey, tenant: this.keys.record },
      {
        digest: this.key?.digest ?? '',
        principal: '',
        scopes: '',
        need: need.join(' '),
        bytes: this.bytes,
        floor,
      },
    );
    if (reply[0] !== 'ok') throw refusal(reply);
    return { principal: String(reply[1]), scopes: parseScopes(String(reply[2])) };
  }
}

/** What ADMIT refuses with, but for a body that is too large. */
const ADMISSION_REFUSALS = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended', 'limit_rate']);

const ALREADY_ADMITTED = { digest: '', bytes: 0, floor: 0 };

/** The stored form of a key: HMAC-SHA256 with the deployment's secret, so that a copy of Redis opens nothing. */
export function keyDigest(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('base64url');
}

/** The same keys come again and again; their digests are kept for a while, their validity is not. */
const digests = new Map<string, { readonly pepper: string; readonly digest: string }>();
const MAX_CACHED_DIGESTS = 1_000;

function cachedKeyDigest(key: string, pepper: string): string {
  const kept = digests.get(key);
  if (kept?.pepper === pepper) return kept.digest;
  if (digests.size === MAX_CACHED_DIGESTS) digests.clear();
  const digest = keyDigest(key, pepper);
  digests.set(key, { pepper, digest });
  return digest;
}

/** Scopes as scripts look for them: with a space on either side of each. */
export function formatScopes(scopes: Iterable<Scope>): string {
  return ` ${[...scopes].join(' ')} `;
}

export function parseScopes(text: string): ReadonlySet<Scope> {
  return new Set(text.trim().split(/\s+/) as Scope[]);
}
