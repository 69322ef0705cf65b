import { BatonError, type JsonObject } from '@baton/protocol';
import { formatCursor, parseCursor } from '../cursors/cursor.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import type { Identity } from '../identity/identity.ts';
import type { Page } from '../records/page.ts';
import { refusalError } from '../records/refusal-error.ts';
import {
  CHANGE_AGENT,
  DELETE_DEFINITION,
  PUT_DEFINITION,
  READ_DEFINITION,
  READ_DEFINITIONS,
} from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { type DefinitionEntry, parseEntry, type StoredDefinition } from './definition-entry.ts';
import type { TenantContext } from './tenant-context.ts';

export type DefinitionKind = 'workflow' | 'agent' | 'prompt';

/** Bounds beside the tenant's limit of how many: bytes of a definition as JSON, versions of each. */
export const MAX_DEFINITION_BYTES: Readonly<Record<DefinitionKind, number>> = {
  workflow: 32_768,
  agent: 65_536,
  prompt: 65_536,
};
const KEPT_VERSIONS = 5;

/** How a definition is put: what it needs to find, and whether it is only held against everything that would refuse it. */
export interface PutOptions {
  readonly expected?: ExpectedEtag;
  readonly dryRun?: boolean;
}

/** What is put. `summary`: what lists show of it, none if left out; `enabled` and `primary`: of an agent, left out for as it is. */
export interface NewDefinition extends PutOptions {
  readonly definition: JsonObject;
  readonly summary?: JsonObject;
  readonly enabled?: boolean | undefined;
  readonly primary?: boolean | undefined;
  /** Of a prompt: whether it is an MCP prompt too, in the place of a workflow of its name. */
  readonly public?: boolean;
  /** Of an agent: the `revision` of the list that it was checked against. */
  readonly revision?: string;
}

/** The entity tag that a change needs to find; `*` for any, `none` where none may be there, left out for whatever is there. */
export type ExpectedEtag = string | undefined;

/** A version, and how its definition stands. */
export interface DefinitionVersion {
  readonly stored: StoredDefinition;
  readonly entry: DefinitionEntry & { readonly isPrimary: boolean };
  /** Another one for each change of the definition; empty where an older version was asked for. */
  readonly etag: string;
}

/** What is stored after a `put`. */
export interface PutDefinition {
  readonly version: number;
  readonly etag: string;
}

const PAGE_SIZE = 20;

/** Definitions are their tenant's: whoever may list them sees the same. */
const WHOLE_TENANT: Identity = { principal: '', scopes: new Set(['agent']) };

/** A tenant's definitions of one kind, each with its last versions. */
export class Definitions {
  private readonly context: TenantContext;
  private readonly kind: DefinitionKind;

  constructor(context: TenantContext, kind: DefinitionKind) {
    this.context = context;
    this.kind = kind;
  }

  /**
   * Stores a definition as the name's next version, unless the newest is the same, whatever is expected. Returns the newest version; of
   * a dry run the one that would be.
   * Errors: `limit_size`, `limit_storage`, `agent_is_primary`, `definition_conflict` when it is not the one expected,
   * `agents_conflict` when agents have changed since `revision`, those of an admission that ended.
   */
  async put(identity: Identity, name: string, put: NewDefinition): Promise<PutDefinition> {
    const text = JSON.stringify(put.definition);
    this.assertSize(text);
    const reply = await runScript(this.context, PUT_DEFINITION, this.scriptKeys(identity, name), {
      ...admissionRecheckArgs(identity),
      kind: this.kind,
      limit: this.plural,
      name,
      definition: text,
      summary: put.summary === undefined ? '' : JSON.stringify(put.summary),
      enabled: formatFlag(put.enabled),
      primary: formatFlag(put.primary),
      revision: put.revision ?? '',
      public: put.public === true ? '1' : '',
      by: JSON.stringify(identity.principal),
      kept: KEPT_VERSIONS,
      expected: put.expected ?? '',
      dryRun: put.dryRun === true ? '1' : '',
    });
    if (reply[0] !== 'stored' && reply[0] !== 'unchanged') throw refusalError(reply, { name });
    return { version: Number(reply[1]), etag: String(reply[2]) };
  }

  /** Errors: `<kind>_not_found`, `definition_conflict`, `agent_is_primary`, those of an admission that ended. */
  async delete(identity: Identity, name: string, expected?: ExpectedEtag): Promise<void> {
    const reply = await runScript(this.context, DELETE_DEFINITION, this.scriptKeys(identity, name), {
      ...admissionRecheckArgs(identity),
      kind: this.kind,
      name,
      expected: expected ?? '',
    });
    if (reply[0] !== 'deleted') throw refusalError(reply, { name });
  }

  /**
   * Enables or disables an agent, or makes it the primary, in one step. False when it was so before.
   * Errors: `agent_not_found`, `agent_is_primary`, those of an admission that ended.
   */
  async changeAgent(
    identity: Identity,
    id: string,
    change: { readonly enabled?: boolean | undefined; readonly primary?: true | undefined },
  ): Promise<boolean> {
    const reply = await runScript(this.context, CHANGE_AGENT, this.scriptKeys(identity, id), {
      ...admissionRecheckArgs(identity),
      kind: this.kind,
      name: id,
      enabled: formatFlag(change.enabled),
      primary: formatFlag(change.primary),
    });
    if (reply[0] !== 'changed' && reply[0] !== 'unchanged') throw refusalError(reply, { name: id });
    return reply[0] === 'changed';
  }

  /** A version, by default the newest. Errors: `<kind>_not_found`. */
  async get(name: string, version?: number): Promise<StoredDefinition> {
    return (await this.read(name, version)).stored;
  }

  /** A version, by default the newest, and how it stands: one call to Redis. Errors: `<kind>_not_found`. */
  async read(name: string, version?: number): Promise<DefinitionVersion> {
    const found = await this.find(name, version);
    if (found === undefined)
      throw refusalError([`${this.kind}_not_found`], version === undefined ? { name } : { name, version });
    return found;
  }

  private async find(name: string, version?: number): Promise<DefinitionVersion | undefined> {
    const { keys } = this.context;
    const [entry, isPrimary, of, definition, stored, etag = ''] = (
      await runScript(
        this.context,
        READ_DEFINITION,
        { definitions: keys[this.plural], definition: keys[this.kind](name) },
        { kind: this.kind, name, version: version ?? '' },
      )
    ).map(String);
    if (entry === undefined || definition === undefined || stored === undefined) return undefined;
    return {
      stored: parseVersion(name, Number(of), definition, stored),
      entry: { ...parseEntry(name, entry), isPrimary: isPrimary === '1' },
      etag,
    };
  }

  /** The versions that are kept, the newest first; none for a name that has none. */
  async versions(name: string): Promise<StoredDefinition[]> {
    const { connection, keys } = this.context;
    const fields = await connection.command((client) => client.hgetall(keys[this.kind](name)));
    return Object.entries(fields)
      .filter(([field]) => !field.endsWith(';by'))
      .map(([version, text]) => parseVersion(name, Number(version), text, fields[`${version};by`] ?? ''))
      .toSorted((a, b) => b.version - a.version);
  }

  /** The names of all, in order: the tenant's limit bounds them. */
  async names(): Promise<string[]> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.hkeys(keys[this.plural]))).toSorted();
  }

  /** The id of the primary agent. */
  async primary(): Promise<string | undefined> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.hget(keys.tenant, 'primaryAgent'))) ?? undefined;
  }

  /** The names of the prompts that are MCP prompts too. */
  async publicNames(): Promise<string[]> {
    const { connection, keys } = this.context;
    return connection.command((client) => client.smembers(keys.publicPrompts));
  }

  /** What lists show of all, in the order of their names, and of agents the primary's id: one round trip. */
  async entries(): Promise<{ entries: DefinitionEntry[]; primary: string | undefined; revision: string }> {
    const { keys } = this.context;
    const reply = await runScript(this.context, READ_DEFINITIONS, { definitions: keys[this.plural] }, {});
    const [primary = '', revision = '0', ...found] = reply.map(String);
    const entries: DefinitionEntry[] = [];
    for (let at = 0; at < found.length; at += 2)
      entries.push(parseEntry(found[at] ?? '', found[at + 1] ?? ''));
    return {
      entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      primary: primary === '' ? undefined : primary,
      revision,
    };
  }

  /** What lists show of these; those that are not there are left out. */
  async entriesOf(
    names: readonly string[],
  ): Promise<{ entries: DefinitionEntry[]; primary: string | undefined }> {
    if (names.length === 0) return { entries: [], primary: undefined };
    const { connection, keys } = this.context;
    const [primary, texts] = await connection.command((client) =>
      Promise.all([client.hget(keys.tenant, 'primaryAgent'), client.hmget(keys[this.plural], ...names)]),
    );
    const entries = names.flatMap((name, at) => {
      const text = texts[at];
      return typeof text === 'string' ? [parseEntry(name, text)] : [];
    });
    return { entries, primary: primary ?? undefined };
  }

  /** What lists show of one, and whether it is the primary agent. Errors: `<kind>_not_found`. */
  async entry(name: string): Promise<DefinitionEntry & { isPrimary: boolean }> {
    const { connection, keys } = this.context;
    const [primary, text] = await connection.command((client) =>
      Promise.all([client.hget(keys.tenant, 'primaryAgent'), client.hget(keys[this.plural], name)]),
    );
    if (text === null) throw refusalError([`${this.kind}_not_found`], { name });
    return { ...parseEntry(name, text), isPrimary: this.kind === 'agent' && primary === name };
  }

  /** The newest versions in pages, by name; a cursor is good for `list` alone. Errors: `invalid_arguments` naming the cursor. */
  async page(list: string, cursor?: string): Promise<Page<StoredDefinition>> {
    const { items: names, ...next } = this.pageOfNames(list, await this.names(), cursor);
    return { items: await this.newest(names), ...next };
  }

  /** The newest versions of these; those that are not there are left out. */
  newest(names: readonly string[]): Promise<StoredDefinition[]> {
    return this.inTurn(async () => {
      const found = await Promise.all(names.map((name) => this.find(name)));
      return found.flatMap((one) => one?.stored ?? []);
    });
  }

  /** Runs a read of many whole definitions: one of the tenant's at a time in this process, so that replies to others come between them. */
  inTurn<T>(read: () => Promise<T>): Promise<T> {
    return this.context.mutex.hold(this.context.keys[this.plural], read);
  }

  /** A page of names that are in order. Errors: as for `page`. */
  pageOfNames(list: string, names: readonly string[], cursor?: string): Page<string> {
    const cursors = this.context.cursors.of(list, WHOLE_TENANT);
    const after = cursor === undefined ? '' : parseCursor(cursors, cursor).member;
    const left = names.filter((name) => name > after);
    const items = left.slice(0, PAGE_SIZE);
    const last = items.at(-1);
    if (last === undefined || left.length <= PAGE_SIZE) return { items };
    return { items, nextCursor: formatCursor(cursors, { score: '0', member: last }) };
  }

  private get plural() {
    return `${this.kind}s` as const;
  }

  private assertSize(text: string): void {
    const bytes = Buffer.byteLength(text);
    const most = MAX_DEFINITION_BYTES[this.kind];
    if (bytes <= most) return;
    const message = `The definition has ${bytes} bytes as JSON; ${most} are allowed. Shorten the ${this.kind}.`;
    throw new BatonError('limit_size', message, { limit: `${this.kind}Bytes`, bytes, most });
  }

  private scriptKeys(identity: Identity, name: string) {
    const { keys } = this.context;
    return {
      credential: credentialOf(identity, keys),
      definitions: keys[this.plural],
      definition: keys[this.kind](name),
    };
  }
}

function formatFlag(flag: boolean | undefined): string {
  if (flag === undefined) return '';
  return flag ? '1' : '0';
}

function parseVersion(name: string, version: number, definition: string, stored: string): StoredDefinition {
  const at = stored.indexOf(';');
  return {
    name,
    version,
    storedAt: new Date(Number(stored.slice(0, at))).toISOString(),
    storedBy: JSON.parse(stored.slice(at + 1)) as string,
    definition: JSON.parse(definition) as JsonObject,
  };
}
