import type { Identity } from '../identity/identity.ts';
import { PAGE_SIZE, type Page } from '../records/page.ts';
import { TenantPart } from './tenant-context.ts';

/** A change of a tenant or of one of its keys. */
export interface AuditEntry {
  /** Milliseconds by Redis's clock. */
  readonly at: number;
  /** What was done, such as `key_created`. */
  readonly action: string;
  /** The id of the key that did it, or `operator`. */
  readonly by: string;
  /** What was changed, and to what. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** So many entries are kept, about: the newest. */
const MAX_ENTRIES = 1_000;

/** The last changes of a tenant and of its keys, in a stream of Redis. */
export class AuditLog extends TenantPart {
  /** Errors: `unavailable`. */
  async add({ action, by, facts }: Omit<AuditEntry, 'at'>): Promise<void> {
    const { connection, keys } = this.context;
    const fields = ['action', action, 'by', by, 'facts', JSON.stringify(facts)];
    await connection.command((client) => client.xadd(keys.audit, 'MAXLEN', '~', MAX_ENTRIES, '*', ...fields));
  }

  /** The newest first. Errors: `invalid_arguments` naming the cursor, `unavailable`. */
  async page(identity: Identity, cursor: string | undefined): Promise<Page<AuditEntry>> {
    const { connection, keys } = this.context;
    const cursors = this.context.cursors.of('audit', identity);
    const before = cursor === undefined ? '+' : `(${cursors.open(cursor)}`;
    const found = await connection.command((client) =>
      client.xrevrange(keys.audit, before, '-', 'COUNT', PAGE_SIZE + 1),
    );
    const items = found.slice(0, PAGE_SIZE);
    const last = items.at(-1)?.[0];
    return {
      items: items.map(([id, fields]) => parseEntry(id, fields)),
      ...(found.length > PAGE_SIZE && last !== undefined && { nextCursor: cursors.seal(last) }),
    };
  }
}

function parseEntry(id: string, fields: readonly string[]): AuditEntry {
  const [, action = '', , by = '', , facts = '{}'] = fields;
  return { at: Number.parseInt(id), action, by, facts: JSON.parse(facts) as AuditEntry['facts'] };
}
