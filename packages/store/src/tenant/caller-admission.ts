import { type ApiKeyParts, parseInteractionId, type Scope, scopeSchema } from '@baton/protocol';
import type { Connection } from '../redis/connection.ts';
import { AdmittedKey } from '../identity/admitted-key.ts';
import { formatScopes, type Identity, parseScopes } from '../identity/identity.ts';
import type { TenantKeys } from '../records/keys.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript, type Script } from '../scripts/script.ts';
import { ADMISSION_DRY_RUN, ADMIT, ADMIT_ANSWER } from '../scripts/registry.ts';
import type { ApiKeyDigests } from '../secrets/api-key-digests.ts';

/** How far a key may overdraw its share of the rate, in bursts: an answer that is waited for is refused last. */
const CALL_FLOOR = 0;
const ANSWER_FLOOR = -10;
const NO_FLOOR = -1_000_000_000;

/** The request itself takes a token, and so does each of so many bytes (rate.lua). */
const RATE_BYTES_PER_TOKEN = 16_384;

/** So many bytes of a body take as long as a change of one field of a stored project: a token for each 64 of them. */
const RATE_BYTES_PER_FIELD = RATE_BYTES_PER_TOKEN / 64;

/** The same of the check of one task of a tag against all others: a token for each 256 of them. */
const RATE_BYTES_PER_CHECKED_TASK = RATE_BYTES_PER_TOKEN / 256;

/** In the place of a floor: the request was counted before. */
const NOT_COUNTED = '';

/** Of the body of a request: its bytes, and how many the rate counts, which is more where it has many values. */
export interface BodySize {
  readonly bytes: number;
  readonly weight: number;
}

/**
 * The credential of one request. It is checked once, by the first script that the request runs: that of the call, where
 * it takes the admission as arguments (`admissionArgs`), otherwise ADMIT. No reply is sent before the check. Later scripts of
 * the request check the key again, and count nothing: it may have ended while the call was held.
 */
export class CallerAdmission {
  private readonly connection: Connection;
  private readonly keys: TenantKeys;
  private readonly key: AdmittedKey | undefined;
  private readonly body: BodySize;
  private readonly trusted: Identity | undefined;
  private identity: Promise<Identity> | undefined;
  private admissionDone = false;
  /** Whose call it is, once a script has said so. */
  principal: string | undefined;
  /** The span that its request is (W3C's `traceparent`), in whose trace the tasks go on that it opens; '' for none. */
  traceparent = '';
  /** The program that calls, by the name that it gives itself in MCP; '' where it gives none. Kept with each task that it starts. */
  client = '';
  /** How often the tenant's agents had changed when ADMIT admitted the caller; undefined where another script did. */
  agentRevision: number | undefined;

  private constructor(
    connection: Connection,
    keys: TenantKeys,
    key: AdmittedKey | undefined,
    body: BodySize,
    trusted?: Identity,
  ) {
    this.connection = connection;
    this.keys = keys;
    this.key = key;
    this.body = body;
    this.trusted = trusted;
    if (trusted) {
      this.identity = Promise.resolve(trusted);
      this.principal = trusted.principal;
      this.admissionDone = true;
    }
  }

  /** A caller with an API key, and the size of the request's body. */
  static withKey(
    connection: Connection,
    keys: TenantKeys,
    key: ApiKeyParts,
    digests: ApiKeyDigests,
    body: BodySize,
  ): CallerAdmission {
    const { id, tenant } = key;
    const digest = digests.presented(key.text);
    const admittedKey = new AdmittedKey({ tenant, id, digest, record: keys.credential(id) });
    return new CallerAdmission(connection, keys, admittedKey, body);
  }

  /** A caller that needs no credential: the operator. */
  static trusted(connection: Connection, keys: TenantKeys, identity: Identity): CallerAdmission {
    return new CallerAdmission(connection, keys, undefined, NO_BODY, identity);
  }

  /** The same caller for a further call within its request: that is admitted, and counted, on its own. */
  forFurtherCall(): CallerAdmission {
    const key = this.key && new AdmittedKey(this.key);
    const further = new CallerAdmission(this.connection, this.keys, key, NO_BODY, this.trusted);
    further.traceparent = this.traceparent;
    further.client = this.client;
    return further;
  }

  /**
   * Admits the caller if it has any of the scopes in `need`; the tenant's rate counts the request once. `answerTo` is the
   * interaction that the request answers: if it waits for this caller's answer, that may overdraw the rate.
   */
  async admit(need: readonly Scope[], answerTo?: string): Promise<Identity> {
    if (this.identity === undefined && this.admissionDone)
      throw new Error('a script has checked the admission already');
    if (this.key !== undefined) this.key.need = need;
    this.identity ??= this.runAdmit(need, answerTo);
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
  async dryRunAdmission(
    purpose: 'call' | 'answer' = 'answer',
    need: readonly Scope[] = scopeSchema.options,
  ): Promise<number> {
    const floor = purpose === 'answer' ? ANSWER_FLOOR : CALL_FLOOR;
    const args = this.scriptArgs(need, floor);
    const reply = await this.run(ADMISSION_DRY_RUN, args);
    if (reply[0] !== 'ok') throw refusalError(reply);
    return Number(reply[4]);
  }

  /**
   * Checks again a caller that was admitted before, and returns who it is. This is no request: the tenant's rate neither
   * refuses nor counts it. Errors: `unauthenticated`, `insufficient_scope`, `tenant_suspended`, `unavailable`.
   */
  recheck(need: readonly Scope[]): Promise<Identity> {
    if (this.key !== undefined) this.key.need = need;
    const args = this.scriptArgs(need, NO_FLOOR);
    return this.toIdentity(this.run(ADMISSION_DRY_RUN, args));
  }

  /**
   * Counts a reply of `bytes` against the tenant's rate, as bodies of so many bytes beyond their request. It is over when the
   * reply is made: nothing is refused, and what Redis does not count while it cannot be reached is lost.
   */
  countReply(bytes: number): Promise<void> {
    return this.count(bytes);
  }

  /** Counts a change of so many fields of a stored project in the same way; what a request may change of them is counted with it. */
  countChange(fields: number): Promise<void> {
    return this.countWork(fields * RATE_BYTES_PER_FIELD);
  }

  /** Counts the check of so many tasks in the same way. */
  countChecked(tasks: number): Promise<void> {
    return this.countWork(tasks * RATE_BYTES_PER_CHECKED_TASK);
  }

  private async countWork(bytes: number): Promise<void> {
    if (bytes >= RATE_BYTES_PER_TOKEN) await this.count(bytes);
  }

  private async count(bytes: number): Promise<void> {
    const weight = bytes - RATE_BYTES_PER_TOKEN;
    const args = { ...this.scriptArgs(scopeSchema.options, NO_FLOOR), bytes: 0, weight };
    await this.run(ADMIT, args).catch(() => {});
  }

  /** True once a script has admitted the caller. */
  get admitted(): boolean {
    return this.admissionDone;
  }

  /**
   * The arguments with which a script checks the admission itself; give its reply to `recordAdmission`.
   */
  async admissionArgs(need: readonly Scope[], answerTo?: string) {
    if (this.key === undefined) {
      const { principal, scopes } = await this.admit(need, answerTo);
      return { ...OF_NO_KEY, principal, scopes: formatScopes(scopes), need: need.join(' ') };
    }
    // Counted by the script that admits it, and by no later one.
    const counted = this.identity === undefined;
    if (counted) this.key.need = need;
    else await this.admit(need, answerTo);
    return this.scriptArgs(
      need,
      counted ? (answerTo === undefined ? CALL_FLOOR : ANSWER_FLOOR) : NOT_COUNTED,
    );
  }

  /**
   * The caller as what runs later in the same request is to know it: reads and waits, which check its key again. With a key
   * it is who the key's record says then. Nothing is asked of Redis.
   */
  heldIdentity(): Identity {
    return this.trusted ?? { principal: '', scopes: NO_SCOPES, ...(this.key && { admittedBy: this.key }) };
  }

  /**
   * The arguments with which a script admits this call beside what it does for the one before; give its reply to `takeAdmission`.
   * undefined for a caller without a key, who needs no admission.
   */
  aheadArgs(need: readonly Scope[]) {
    if (this.key === undefined) return undefined;
    this.key.need = need;
    return this.scriptArgs(need, CALL_FLOOR);
  }

  /** Takes what ADMIT would have replied: this call is admitted by it, or refused once it asks. */
  takeAdmission(reply: readonly unknown[]): void {
    this.identity = this.toIdentity(Promise.resolve(reply));
    // The call asks for it again; until then nobody may.
    this.identity.catch(() => {});
  }

  /** Takes the reply of a script that was given `admissionArgs`, and whom it names: the caller is admitted unless the script refused it. */
  recordAdmission(reply: readonly unknown[], principal?: unknown): void {
    const [code, limit] = reply;
    if (!ADMISSION_REFUSALS.has(String(code)) && limit !== 'requestBytes') this.admissionDone = true;
    if (typeof principal === 'string') this.principal = principal;
  }

  /** Takes what such a script replied of when the key expires: in how many milliseconds, '' for never. */
  recordExpiry(expiresInMs: unknown): void {
    this.key?.recordExpiry(expiresInMs);
  }

  /** Takes the identity that a script with `admissionArgs` replied, so that later scripts need no other admission. */
  setIdentity(identity: Identity): void {
    this.identity ??= Promise.resolve(identity);
    this.principal = identity.principal;
  }

  get credentialKey(): string {
    return this.key?.record ?? this.keys.credential('');
  }

  private runAdmit(need: readonly Scope[], answerTo = ''): Promise<Identity> {
    const interaction = parseInteractionId(answerTo);
    if (interaction === undefined) return this.admitCall(need);
    const task = this.keys.task(interaction.taskId);
    const args = { ...this.scriptArgs(need, ANSWER_FLOOR), number: interaction.number };
    return this.toIdentity(this.run(ADMIT_ANSWER, args, { task }));
  }

  private async admitCall(need: readonly Scope[]): Promise<Identity> {
    const replied = this.run(ADMIT, this.scriptArgs(need, CALL_FLOOR));
    const identity = await this.toIdentity(replied);
    this.agentRevision = Number((await replied)[4]);
    return identity;
  }

  /** Who a script has admitted. Errors: its refusal. */
  private async toIdentity(replied: Promise<readonly unknown[]>): Promise<Identity> {
    const reply = await replied;
    if (reply[0] !== 'ok') throw refusalError(reply);
    const tools = reply[5];
    this.principal = String(reply[1]);
    const identity = {
      principal: this.principal,
      scopes: parseScopes(String(reply[2])),
      ...(typeof tools === 'string' && { tools }),
    };
    const admittedBy = this.key;
    if (admittedBy === undefined) return identity;
    admittedBy.recordExpiry(reply[3]);
    return { ...identity, admittedBy };
  }

  private run<K extends string, A extends string>(
    script: Script<K, A>,
    args: Readonly<Record<A, string | number>>,
    more?: { readonly task: string },
  ) {
    const own = { credential: this.credentialKey, ...more } as Record<K | 'credential', string>;
    return runScript({ connection: this.connection, keys: this.keys }, script, own, args);
  }

  private scriptArgs(need: readonly Scope[], floor: number | '') {
    return {
      digest: this.key?.digest ?? '',
      principal: '',
      scopes: '',
      need: need.join(' '),
      bytes: this.body.bytes,
      weight: this.body.weight,
      floor,
    };
  }
}

/** The codes with which ADMIT refuses, but for a body that is too large. */
const ADMISSION_REFUSALS = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
]);

const NO_BODY: BodySize = { bytes: 0, weight: 0 };
const OF_NO_KEY = { digest: '', bytes: 0, weight: 0, floor: 0 };
const NO_SCOPES: ReadonlySet<Scope> = new Set();
