import { randomInt } from 'node:crypto';
import { BatonError, formatApiKey, type KeyInput, type Scope } from '@baton/protocol';
import type { ChangeFeed } from './change-feed.ts';
import { parseScopes, formatScopes } from '../records/identity.ts';
import { apiKeyDigest } from './api-key-digest.ts';
import type { TenantContext } from './tenant-context.ts';

/** An API key without its secret. Times are ISO 8601. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** A tenant's API keys. Revoking one deletes its record, so that the next call on any replica is refused. */
export class Credentials {
  private readonly context: TenantContext;
  private readonly changes: ChangeFeed;
  private readonly pepper: string;

  constructor(context: TenantContext, changes: ChangeFeed, pepper: string) {
    this.context = context;
    this.changes = changes;
    this.pepper = pepper;
  }

  /** Creates a key. Its text is returned once, and stored nowhere. */
  async create(input: KeyInput): Promise<Credential & { key: string }> {
    const { connection, keys } = this.context;
    const id = randomAlphanumeric(12);
    const key = formatApiKey(keys.name, id, randomAlphanumeric(32));
    const record = {
      name: input.name,
      principal: input.principal ?? `key-${id}`,
      scopes: formatScopes(new Set(input.scopes)),
      digest: apiKeyDigest(key, this.pepper),
      at: String(await this.now()),
      ...(input.expiresAt ? { expires: String(Date.parse(input.expiresAt)), ends: input.expiresAt } : {}),
    };
    await connection.write('HSET', keys.credential(id), ...Object.entries(record).flat());
    await connection.write('ZADD', keys.credentials, Number(record.at), id);
    return { ...toCredential(id, record), key };
  }

  /**
   * Creates a key with the same principal, scopes and expiry; the old one expires after `overlapSeconds`.
   * Errors: `key_not_found` for an expired one.
   */
  async rotate(id: string, overlapSeconds: number): Promise<Credential & { key: string }> {
    const { connection, keys } = this.context;
    const old = await this.get(id);
    const now = await this.now();
    if (old.expiresAt !== undefined && Date.parse(old.expiresAt) <= now) throw keyNotFound(id);
    // The expiry that it was created with, not the one that an earlier rotation set.
    const ends = await connection.command((client) => client.hget(keys.credential(id), 'ends'));
    const { name, principal, scopes } = old;
    const next = await this.create({
      name,
      principal,
      scopes: [...scopes],
      ...(ends ? { expiresAt: ends } : {}),
    });
    const overlap = now + overlapSeconds * 1_000;
    if (old.expiresAt === undefined || Date.parse(old.expiresAt) > overlap) {
      await connection.write('HSET', keys.credential(id), 'expires', overlap);
      await this.changes.publishAdmissionChange();
    }
    return next;
  }

  async revoke(id: string): Promise<void> {
    const { connection, keys } = this.context;
    const gone = await connection.write('DEL', keys.credential(id));
    await connection.write('ZREM', keys.credentials, id);
    await this.changes.publishAdmissionChange();
    if (gone === 0) throw keyNotFound(id);
  }

  async get(id: string): Promise<Credential> {
    const { connection, keys } = this.context;
    const record = await connection.command((client) => client.hgetall(keys.credential(id)));
    if (record['digest'] === undefined) throw keyNotFound(id);
    return toCredential(id, record);
  }

  async list(): Promise<Credential[]> {
    const { connection, keys } = this.context;
    const ids = await connection.command((client) => client.zrange(keys.credentials, '0', '-1'));
    const records = await Promise.all(
      ids.map((id) => connection.command((client) => client.hgetall(keys.credential(id)))),
    );
    return ids.flatMap((id, index) => {
      const record = records[index];
      return record?.['digest'] === undefined ? [] : [toCredential(id, record)];
    });
  }

  /** Redis's clock: its scripts decide when a key has expired. */
  private async now(): Promise<number> {
    const [seconds, micros] = await this.context.connection.command((client) => client.time());
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
}

function toCredential(id: string, record: Record<string, string>): Credential {
  return {
    id,
    name: record['name'] ?? '',
    principal: record['principal'] ?? '',
    scopes: [...parseScopes(record['scopes'] ?? '')],
    createdAt: new Date(Number(record['at'])).toISOString(),
    ...(record['expires'] ? { expiresAt: new Date(Number(record['expires'])).toISOString() } : {}),
  };
}

function keyNotFound(id: string): BatonError {
  return new BatonError(
    'key_not_found',
    `The tenant has no key '${id}'. List its keys to see which there are.`,
    { id },
  );
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomAlphanumeric(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
