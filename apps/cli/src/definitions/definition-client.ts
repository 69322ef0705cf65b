import { RestClient } from '../rest/rest-client.ts';
import type { RestEndpoint } from '../settings/rest-endpoint.ts';

/** A stored version of a definition, as REST gives it. */
export interface StoredDefinition {
  readonly version: number;
  readonly storedAt: string;
  readonly storedBy: string;
  readonly definition: Readonly<Record<string, unknown>>;
  /** Of a workflow's history: the tasks that go on with it. */
  readonly tasks?: readonly string[];
}

/** A definition as a list shows it. */
export interface DefinitionSummary {
  readonly version: number;
  readonly storedAt: string;
  readonly [field: string]: unknown;
}

/** What is stored after a put. */
interface PutReply {
  readonly version: number;
  /** Fields of the definition that have no place in Baton. */
  readonly ignored?: readonly string[];
}

export type DefinitionPlural = 'workflows' | 'agents' | 'prompts';

/** A tenant's definitions of one kind over REST. Errors: those of RestClient. */
export class DefinitionClient {
  private readonly plural: DefinitionPlural;
  private readonly tenant: RestClient;

  constructor(endpoint: RestEndpoint, plural: DefinitionPlural) {
    this.plural = plural;
    this.tenant = new RestClient(endpoint);
  }

  async put(name: string, definition: unknown): Promise<PutReply> {
    return this.rest('PUT', `/${encodeURIComponent(name)}`, definition);
  }

  /** All of them, page by page. */
  async list(): Promise<DefinitionSummary[]> {
    const all: DefinitionSummary[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const page: Record<string, unknown> = await this.rest('GET', query);
      all.push(...(page[this.plural] as DefinitionSummary[]));
      cursor = page['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    return all;
  }

  async get(name: string): Promise<StoredDefinition> {
    return this.rest('GET', `/${encodeURIComponent(name)}`);
  }

  /** The versions that are kept, the newest first. */
  async history(name: string): Promise<StoredDefinition[]> {
    const path = `/${encodeURIComponent(name)}/history`;
    return (await this.rest<{ versions: StoredDefinition[] }>('GET', path)).versions;
  }

  async delete(name: string): Promise<void> {
    await this.rest('DELETE', `/${encodeURIComponent(name)}`);
  }

  /** A change of an agent's state: how it stands then. */
  async change(id: string, action: 'enable' | 'disable' | 'primary'): Promise<Record<string, unknown>> {
    return this.rest('POST', `/${encodeURIComponent(id)}/${action}`);
  }

  private rest<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.tenant.request(method, `/${this.plural}${path}`, body);
  }
}
