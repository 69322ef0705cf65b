import { type ApiKeyParts, type Scope, scopeSchema } from '@baton/protocol';
import type { Connection } from '../redis/connection.ts';
import { formatScopes, type Identity, parseScopes } from '../records/identity.ts';
import type { TenantKeys } from '../records/keys.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { ADMISSION_DRY_RUN, ADMIT } from '../scripts/registry.ts';
import { cachedApiKeyDigest } from './api-key-digest.ts';

/** The lowest balance of the rate bucket, in bursts, at which a request is still admitted; answers are refused last. */
const CALL_FLOOR = 0;
const ANSWER_FLOOR = -10;
const NO_FLOOR = -1_000_000_000;

/**
 * The credential of one request. It is checked once, by the first script that the request runs: that of the call, where
 * it takes the admission as arguments (`admissionArgs`), otherwise ADMIT. No reply is sent before the check.
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

  /** A caller with an API key; `bytes` is the size of the request's body. */
  static withKey(
    connection: Connection,
    keys: TenantKeys,
    key: ApiKeyParts,
    pepper: string,
    bytes: number,
  ): Caller {
    return new Caller(connection, keys, { id: key.id, digest: cachedApiKeyDigest(key.text, pepper) }, bytes);
  }

  /** A caller that needs no credential: the operator. */
  static trusted(connection: Connection, keys: TenantKeys, identity: Identity): Caller {
    return new Caller(connection, keys, undefined, 0, identity);
  }

  /** Admits the caller if it has any of the scopes in `need`; the tenant's rate counts the request once. */
  async admit(need: readonly Scope[], purpose: 'call' | 'answer' = 'call'): Promise<Identity> {
    if (this.identity === undefined && this.admissionDone)
      throw new Error('a script has checked the admission already');
    this.identity ??= this.runAdmission(ADMIT, need, purpose === 'answer' ? ANSWER_FLOOR : CALL_FLOOR);
    const identity = await this.identity;
    this.admissionDone = true;
    if (!need.some((scope) => identity.scopes.has(scope))) {
      throw refusalError(['insufficient_scope', need.join(' ')]);
    }
    return identity;
  }

  /**
   * Throws the error with which such a request of this caller would be refused now, so that its body need not have been
   * read, and otherwise returns the most bytes that its body may have. The rate counts nothing: the request is still to be
   * admitted.
   */
  async dryRunAdmission(purpose: 'call' | 'answer' = 'answer'): Promise<number> {
    const floor = purpose === 'answer' ? ANSWER_FLOOR : CALL_FLOOR;
    const [, , , requestBytes] = await this.checkAdmission(ADMISSION_DRY_RUN, scopeSchema.options, floor);
    return Number(requestBytes);
  }

  /**
   * Checks again a caller that was admitted before, and returns who it is. This is no request: the tenant's rate neither
   * refuses nor counts it. Errors: `unauthenticated`, `insufficient_scope`, `tenant_suspended`, `unavailable`.
   */
  recheck(need: readonly Scope[]): Promise<Identity> {
    return this.runAdmission(ADMISSION_DRY_RUN, need, NO_FLOOR);
  }

  /** True once a script has admitted the caller. */
  get admitted(): boolean {
    return this.admissionDone;
  }

  /**
   * The arguments with which a script checks the admission itself; give its reply to `recordAdmission`.
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
      floor: purpose === 'answer' ? ANSWER_FLOOR : CALL_FLOOR,
    };
  }

  /** Takes the reply of a script that was given `admissionArgs`: the caller is admitted unless the script refused it. */
  recordAdmission(reply: readonly unknown[]): void {
    const [code, limit] = reply;
    if (!ADMISSION_REFUSALS.has(String(code)) && limit !== 'requestBytes') this.admissionDone = true;
  }

  /** Takes the identity that a script with `admissionArgs` replied, so that later scripts need no other admission. */
  setIdentity(identity: Identity): void {
    this.identity ??= Promise.resolve(identity);
  }

  get credentialKey(): string {
    return this.keys.credential(this.key?.id ?? '');
  }

  private async runAdmission(script: typeof ADMIT, need: readonly Scope[], floor: number): Promise<Identity> {
    const [, principal, scopes] = await this.checkAdmission(script, need, floor);
    return { principal: String(principal), scopes: parseScopes(String(scopes)) };
  }

  private async checkAdmission(
    script: typeof ADMIT,
    need: readonly Scope[],
    floor: number,
  ): Promise<readonly unknown[]> {
    const reply = await runScript(
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
    if (reply[0] !== 'ok') throw refusalError(reply);
    return reply;
  }
}

/** The codes with which ADMIT refuses, but for a body that is too large. */
const ADMISSION_REFUSALS = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
]);

const ALREADY_ADMITTED = { digest: '', bytes: 0, floor: 0 };
