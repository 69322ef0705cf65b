import { CachedRead } from '../redis/cached-read.ts';
import { randomInt } from 'node:crypto';
import {
  BatonError,
  DEFAULT_LIMITS,
  formatApiKey,
  type KeyDialect,
  keyDialectSchema,
  type KeyInput,
  type Scope,
} from '@baton/protocol';
import {
  formatCursor,
  parseCursor,
  parseMembersWithScores,
  type Position,
  START,
} from '../cursors/cursor.ts';
import { type Identity, parseScopes, formatScopes } from '../identity/identity.ts';
import { ENDED_KEY_RETENTION } from '../records/durations.ts';
import { type Page, PAGE_SIZE } from '../records/page.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { refusalError } from '../records/refusal-error.ts';
import { CREATE_KEY, REVOKE_KEY, UPDATE_KEY } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { admissionMessage } from '../waiting/admission-changes.ts';
import type { ApiKeyDigests } from '../secrets/api-key-digests.ts';
import {
  type KeyIssuer,
  issuerIdentity,
  OPERATOR,
  refuseStrongerKey,
  refuseStrongerRotation,
} from './key-issuer.ts';
import type { TenantContext } from './tenant-context.ts';

/** An API key without its secret. Times are ISO 8601. */
export interface ApiKeyInfo {
  readonly id: string;
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** What it lists of the tools, as `?tools=` has it; absent where it selects nothing. */
  readonly tools?: string;
  /** The dialect in which its clients are shown requests, where a call names none. */
  readonly dialect?: KeyDialect;
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** The key with which it was made; absent for the operator's. */
  readonly parent?: string;
  /** When it was last used, to ten minutes; absent for one that never was. */
  readonly lastUsedAt?: string;
}

/** Of a tenant: with more of them all are read again. */
const MAX_CACHED_DIALECTS = 100;

type KeyRecord = Readonly<Record<string, string>>;

/** Keys behind a position, and the position to go on from unless it is the end. */
interface KeyPage {
  readonly found: readonly ApiKeyInfo[];
  readonly next: Position | undefined;
}

/** A tenant's API keys. Revoking one deletes its record, so that the next call on any replica is refused. */
export class ApiKeys {
  private readonly context: TenantContext;
  private readonly digests: ApiKeyDigests;
  private readonly defaultTtl: number;
  /** By key. */
  private readonly dialects = new Map<string, CachedRead<KeyDialect | undefined>>();

  /** `defaultTtl`: the lifetime in milliseconds of a key that is created without one; 0 for no end. */
  constructor(context: TenantContext, digests: ApiKeyDigests, defaultTtl: number) {
    this.context = context;
    this.digests = digests;
    this.defaultTtl = defaultTtl;
  }

  /**
   * Creates a key, which ends no later than the one that makes it. Its text is returned once, and stored nowhere.
   * Where the tenant has as many keys as it may, one that has ended is forgotten for it. Errors: `limit_storage` where none has,
   * `insufficient_scope` for a key that would be stronger than its issuer, those of a issuer's admission that ended.
   */
  async create(input: KeyInput, issuer: KeyIssuer = OPERATOR): Promise<ApiKeyInfo & { key: string }> {
    refuseStrongerKey(issuer, input);
    return this.store(input, issuer);
  }

  /**
   * Creates a key with the same principal, scopes and expiry; the old one expires after `overlapSeconds`, in the same script: of several who replace
   * a key without an overlap at once, one does. Errors: `key_not_found` for an expired one, `insufficient_scope` for one that is no weaker than its issuer's,
   * `limit_storage` with an overlap as `create`; without one there are no more keys than before, and where room is needed the old one is forgotten at once.
   */
  async rotate(
    id: string,
    overlapSeconds: number,
    issuer: KeyIssuer = OPERATOR,
  ): Promise<ApiKeyInfo & { key: string }> {
    const { connection, keys } = this.context;
    const old = await this.get(id);
    refuseStrongerRotation(issuer, old);
    // The expiry that it was created with, not the one that an earlier rotation set.
    const ends = await connection.command((client) => client.hget(keys.credential(id), 'ends'));
    const { name, principal, scopes, tools, dialect } = old;
    const kept = {
      name,
      principal,
      scopes: [...scopes],
      ...(tools && { tools }),
      ...(dialect && { dialect }),
    };
    const replaced = { id, overlap: overlapSeconds * 1_000 };
    return this.store(ends ? { ...kept, expiresAt: ends } : kept, issuer, replaced);
  }

  /**
   * Changes what is given of a key: for calls from then on, and for the streams that are held with it, on every replica. Empty `tools`
   * select nothing, and an empty `dialect` none. Errors: `key_not_found`.
   */
  async update(
    id: string,
    {
      name,
      tools,
      dialect,
    }: { readonly name?: string; readonly tools?: string; readonly dialect?: KeyDialect | '' },
  ): Promise<ApiKeyInfo> {
    const { keys } = this.context;
    const [code] = await runScript(
      this.context,
      UPDATE_KEY,
      { credential: keys.credential(id) },
      { channel: keys.admissionChannel, message: admissionMessage(keys.name, id) },
      {
        args: [
          ...(name === undefined ? [] : ['name', name]),
          ...(tools === undefined ? [] : ['tools', toStoredTools(tools)]),
          ...(dialect === undefined ? [] : ['dialect', dialect]),
        ],
      },
    );
    if (code !== 'updated') throw keyNotFound(id);
    return this.get(id);
  }

  /** Ends a key now, and with `children` those that were made with it, and theirs. Returns the ids of all. Errors: `key_not_found`. */
  async revoke(id: string, children = false): Promise<string[]> {
    const found = await this.end(id);
    const ended = [id];
    // Level by level: a key that has ended makes no more of them.
    for (let more = children; more; ) {
      const next = (await this.all()).filter(({ parent }) => parent !== undefined && ended.includes(parent));
      for (const child of next) await this.end(child.id);
      ended.push(...next.map((child) => child.id));
      more = next.length > 0;
    }
    if (!found && ended.length === 1) throw keyNotFound(id);
    return ended;
  }

  private async store(
    input: KeyInput,
    issuer: KeyIssuer,
    replaced = { id: '', overlap: 0 },
  ): Promise<ApiKeyInfo & { key: string }> {
    const { keys } = this.context;
    const id = randomAlphanumeric(12);
    const key = formatApiKey(keys.name, id, randomAlphanumeric(32));
    const fields = {
      name: input.name,
      principal: input.principal ?? `key-${id}`,
      scopes: formatScopes(new Set(input.scopes)),
      ...(input.tools ? { tools: toStoredTools(input.tools) } : {}),
      ...(input.dialect ? { dialect: input.dialect } : {}),
      ...this.digests.stored(key),
      ...(issuer.kind === 'key' ? { parent: issuer.key.id } : {}),
    };
    const as = issuerIdentity(issuer);
    let expires = input.expiresAt ? Date.parse(input.expiresAt) : undefined;
    if (expires === undefined && this.defaultTtl > 0) expires = (await this.now()) + this.defaultTtl;
    for (let forget = ''; ; ) {
      const record = {
        ...fields,
        ...(expires === undefined ? {} : { ends: new Date(expires).toISOString() }),
      };
      const [code, fact] = await runScript(
        this.context,
        CREATE_KEY,
        {
          credential: credentialOf(as, keys),
          key: keys.credential(id),
          forgotten: keys.credential(forget),
          replaced: keys.credential(replaced.id),
        },
        {
          ...admissionRecheckArgs(as),
          id,
          expires: expires ?? '',
          remembered: ENDED_KEY_RETENTION,
          limit: DEFAULT_LIMITS.apiKeys,
          forget,
          replacedId: replaced.id,
          overlap: replaced.overlap,
          channel: keys.admissionChannel,
          message: admissionMessage(keys.name, replaced.id),
        },
        { args: Object.entries(record).flat() },
      );
      if (code === 'created') {
        const times = { at: String(fact), ...(expires === undefined ? {} : { expires: String(expires) }) };
        return { ...toApiKeyInfo(id, { ...record, ...times }), key };
      }
      if (code === 'outlives') expires = Number(fact);
      else if (code === 'full') forget = String(fact);
      else if (code === 'limit_keys') throw tooManyKeys(Number(fact));
      else if (code === 'key_not_found') throw keyNotFound(replaced.id);
      else throw refusalError([code, fact]);
    }
  }

  /** The dialect of a key as it stood a second ago at most. Errors: `unavailable`. */
  cachedDialect(id: string): Promise<KeyDialect | undefined> {
    let dialect = this.dialects.get(id);
    if (dialect === undefined) {
      if (this.dialects.size >= MAX_CACHED_DIALECTS) this.dialects.clear();
      dialect = new CachedRead(() => this.readDialect(id));
      this.dialects.set(id, dialect);
    }
    return dialect.get();
  }

  private async readDialect(id: string): Promise<KeyDialect | undefined> {
    const { connection, keys } = this.context;
    const dialect = await connection.command((client) => client.hget(keys.credential(id), 'dialect'));
    return keyDialectSchema.safeParse(dialect).data;
  }

  async get(id: string): Promise<ApiKeyInfo> {
    const { connection, keys } = this.context;
    const record = await connection.command((client) => client.hgetall(keys.credential(id)));
    if (record['digest'] === undefined) throw keyNotFound(id);
    return toApiKeyInfo(id, record);
  }

  /** The keys, oldest first, in pages, as this caller may see them. Errors: `invalid_arguments` for a cursor of another. */
  async list(identity: Identity, cursor?: string): Promise<Page<ApiKeyInfo>> {
    const cursors = this.context.cursors.of('keys', identity);
    const { found, next } = await this.page(cursor === undefined ? START : parseCursor(cursors, cursor));
    return next === undefined ? { items: found } : { items: found, nextCursor: formatCursor(cursors, next) };
  }

  /** The keys that have not ended and that the current secret has not hashed, as far as their records say: not called with since it is current. */
  async hashedBefore(): Promise<ApiKeyInfo[]> {
    const now = await this.now();
    const isOpen = ({ expiresAt }: ApiKeyInfo) => expiresAt === undefined || Date.parse(expiresAt) > now;
    return (await this.all((record) => record['secret'] !== this.digests.secretId)).filter(isOpen);
  }

  private async all(isWanted: (record: KeyRecord) => boolean = () => true): Promise<ApiKeyInfo[]> {
    const all: ApiKeyInfo[] = [];
    for (let from: Position | undefined = START; from !== undefined; ) {
      const { found, next }: KeyPage = await this.page(from, isWanted);
      all.push(...found);
      from = next;
    }
    return all;
  }

  /** A page of keys behind a position. An index entry whose record has expired is left out. */
  private async page(
    from: Position,
    isWanted: (record: KeyRecord) => boolean = () => true,
  ): Promise<KeyPage> {
    const { connection, keys } = this.context;
    const rows: Position[] = [];
    // Keys of one millisecond stand in the order of the bytes of their ids, which are ASCII.
    for (let at = 0; rows.length <= PAGE_SIZE; at += PAGE_SIZE + 1) {
      const read = parseMembersWithScores(
        await connection.command((client) =>
          client.zrange(
            keys.apiKeys,
            from.score,
            '+inf',
            'BYSCORE',
            'LIMIT',
            at,
            PAGE_SIZE + 1,
            'WITHSCORES',
          ),
        ),
      );
      rows.push(...read.filter(({ score, member }) => score !== from.score || member > from.member));
      if (read.length <= PAGE_SIZE) break;
    }
    const shown = rows.slice(0, PAGE_SIZE);
    const records = await Promise.all(
      shown.map(({ member }) => connection.command((client) => client.hgetall(keys.credential(member)))),
    );
    const found = shown.flatMap(({ member }, index) => {
      const record = records[index];
      return record?.['digest'] === undefined || !isWanted(record) ? [] : [toApiKeyInfo(member, record)];
    });
    return { found, next: rows.length > PAGE_SIZE ? shown.at(-1) : undefined };
  }

  /** Ends a key now, and the calls that are held with it. False for one that does not exist. */
  private async end(id: string): Promise<boolean> {
    const { keys } = this.context;
    const [code] = await runScript(
      this.context,
      REVOKE_KEY,
      { credential: keys.credential(id) },
      {
        id,
        channel: keys.admissionChannel,
        message: admissionMessage(keys.name, id),
      },
    );
    return code === 'ended';
  }

  /** Redis's clock: its scripts decide when a key has expired. */
  private async now(): Promise<number> {
    const [seconds, micros] = await this.context.connection.command((client) => client.time());
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
}

function toApiKeyInfo(id: string, record: Record<string, string>): ApiKeyInfo {
  return {
    id,
    name: record['name'] ?? '',
    principal: record['principal'] ?? '',
    scopes: [...parseScopes(record['scopes'] ?? '')],
    ...(record['dialect'] ? { dialect: record['dialect'] as KeyDialect } : {}),
    ...(record['tools'] ? { tools: record['tools'].replaceAll(' ', ',') } : {}),
    createdAt: new Date(Number(record['at'])).toISOString(),
    ...(record['parent'] ? { parent: record['parent'] } : {}),
    ...(record['used'] ? { lastUsedAt: new Date(Number(record['used'])).toISOString() } : {}),
    ...(record['expires'] ? { expiresAt: new Date(Number(record['expires'])).toISOString() } : {}),
  };
}

/** Scripts search names between blanks. */
function toStoredTools(tools: string): string {
  return tools.split(',').join(' ');
}

function tooManyKeys(most: number): BatonError {
  return new BatonError(
    'limit_storage',
    `The tenant's limit 'apiKeys' of ${most} is reached. Revoke keys that are no longer used, then repeat. A rotation with no overlap adds no key.`,
    { limit: 'apiKeys', most },
  );
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
