import { BatonError, type JsonObject } from '@baton/protocol';
import { formatCursor, parseCursor } from '../cursors/cursor.ts';
import { admissionRecheckArgs, admissionRecheckKeys } from '../identity/admission-recheck-args.ts';
import type { Identity } from '../identity/identity.ts';
import type { Page } from '../records/page.ts';
import { refusalError } from '../records/refusal-error.ts';
import { DELETE_WORKFLOW, PUT_WORKFLOW } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { TenantContext } from './tenant-context.ts';

/** Bounds beside the limit `workflows`: bytes of a definition as JSON, versions of each workflow. */
export const MAX_WORKFLOW_BYTES = 32_768;
const KEPT_VERSIONS = 5;

/** A stored version of a workflow. */
export interface StoredWorkflow {
  readonly name: string;
  readonly version: number;
  /** ISO 8601. */
  readonly storedAt: string;
  /** The principal who stored it. */
  readonly storedBy: string;
  readonly definition: JsonObject;
}

const PAGE_SIZE = 20;

/** Workflows are their tenant's: whoever may list them sees the same. */
const WHOLE_TENANT: Identity = { principal: '', scopes: new Set(['agent']) };

/** A tenant's workflows, each with its last versions. */
export class Workflows {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /**
   * Stores a definition as the workflow's next version, unless the newest is the same. Returns the newest version's number.
   * Errors: `limit_size`, `limit_storage`, those of an admission that ended.
   */
  async put(identity: Identity, name: string, definition: JsonObject): Promise<number> {
    const text = JSON.stringify(definition);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_WORKFLOW_BYTES) {
      const message = `The definition has ${bytes} bytes as JSON; ${MAX_WORKFLOW_BYTES} are allowed. Split the workflow.`;
      throw new BatonError('limit_size', message, {
        limit: 'workflowBytes',
        bytes,
        most: MAX_WORKFLOW_BYTES,
      });
    }
    const reply = await runScript(this.context.connection, PUT_WORKFLOW, this.scriptKeys(identity, name), {
      ...admissionRecheckArgs(identity),
      name,
      definition: text,
      by: JSON.stringify(identity.principal),
      kept: KEPT_VERSIONS,
    });
    if (reply[0] !== 'stored' && reply[0] !== 'unchanged') throw refusalError(reply, { workflow: name });
    return Number(reply[1]);
  }

  /** Errors: `workflow_not_found`, those of an admission that ended. */
  async delete(identity: Identity, name: string): Promise<void> {
    const reply = await runScript(this.context.connection, DELETE_WORKFLOW, this.scriptKeys(identity, name), {
      ...admissionRecheckArgs(identity),
      name,
    });
    if (reply[0] !== 'deleted') throw refusalError(reply, { workflow: name });
  }

  /** The newest version. Errors: `workflow_not_found`. */
  async get(name: string): Promise<StoredWorkflow> {
    const [newest] = await this.versions(name);
    if (newest === undefined) throw refusalError(['workflow_not_found'], { workflow: name });
    return newest;
  }

  /** The versions that are kept, the newest first; none for a name that is no workflow's. */
  async versions(name: string): Promise<StoredWorkflow[]> {
    const { connection, keys } = this.context;
    const fields = await connection.command((client) => client.hgetall(keys.workflow(name)));
    return Object.entries(fields)
      .filter(([field]) => !field.endsWith(';by'))
      .map(([version, text]) => parseVersion(name, Number(version), text, fields[`${version};by`] ?? ''))
      .toSorted((a, b) => b.version - a.version);
  }

  /** The names of all, in order: the limit `workflows` bounds them. */
  async names(): Promise<string[]> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.hkeys(keys.workflows))).toSorted();
  }

  /** The newest versions in pages, by name; cursors are good for `list` alone. Errors: `invalid_arguments` naming the cursor. */
  async page(list: 'workflows' | 'prompts' | 'resources', cursor?: string): Promise<Page<StoredWorkflow>> {
    const cursors = this.context.cursors.of(list === 'resources' ? 'workflowResources' : list, WHOLE_TENANT);
    const after = cursor === undefined ? '' : parseCursor(cursors, cursor).member;
    const names = (await this.names()).filter((name) => name > after);
    const shown = names.slice(0, PAGE_SIZE);
    const found = await Promise.all(shown.map((name) => this.versions(name)));
    const items = found.flatMap(([newest]) => newest ?? []);
    const last = shown.at(-1);
    if (last === undefined || names.length <= PAGE_SIZE) return { items };
    return { items, nextCursor: formatCursor(cursors, { score: '0', member: last }) };
  }

  private scriptKeys(identity: Identity, name: string) {
    const { keys } = this.context;
    const { workflows, activeChangeChannel } = keys;
    return {
      ...admissionRecheckKeys(identity, keys),
      workflows,
      workflow: keys.workflow(name),
      activeChangeChannel,
    };
  }
}

function parseVersion(name: string, version: number, definition: string, stored: string): StoredWorkflow {
  const at = stored.indexOf(';');
  return {
    name,
    version,
    storedAt: new Date(Number(stored.slice(0, at))).toISOString(),
    storedBy: JSON.parse(stored.slice(at + 1)) as string,
    definition: JSON.parse(definition) as JsonObject,
  };
}
