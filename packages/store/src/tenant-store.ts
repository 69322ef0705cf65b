import { type ApiKeyParts, type Limits, scopeSchema } from '@baton/protocol';
import { refusalError } from './records/refusal-error.ts';
import { readUsage, type Usage } from './tenant/usage.ts';
import { CallerAdmission } from './tenant/caller-admission.ts';
import { ChangeFeed } from './tenant/change-feed.ts';
import { Claims } from './tasks/claims.ts';
import type { ApiKeyDigests } from './secrets/api-key-digests.ts';
import { ApiKeys } from './tenant/api-keys.ts';
import { AuditLog } from './tenant/audit-log.ts';
import { Interactions } from './tasks/interactions.ts';
import { PagedQueries } from './queries/paged-queries.ts';
import { type TenantContext, TenantPart } from './tenant/tenant-context.ts';
import { Projects } from './projects/projects.ts';
import { Conversations } from './conversations/conversations.ts';
import { Sessions } from './tenant/sessions.ts';
import { SessionSubscriptions } from './tenant/session-subscriptions.ts';
import { TaskRetries } from './tasks/task-retries.ts';
import { Tasks } from './tasks/tasks.ts';
import { WorkflowTasks } from './tasks/workflow-tasks.ts';
import type { AgentSource } from './tenant/agent-definition-cache.ts';
import { Definitions } from './tenant/definitions.ts';
import { Prices } from './usage/prices.ts';
import { UsageDays } from './usage/usage-days.ts';

/** The data of one tenant: the only way to it, and no method takes a tenant's id. */
export class TenantStore extends TenantPart {
  readonly id = this.context.keys.name;
  readonly keys = this.context.keys;
  readonly lifetimes = this.context.lifetimes;
  readonly tasks = new Tasks(this.context);
  readonly taskRetries = new TaskRetries(this.context);
  readonly interactions = new Interactions(this.context);
  readonly queries = new PagedQueries(this.context);
  readonly claims = new Claims(this.context);
  readonly projects = new Projects(this.context);
  readonly conversations = new Conversations(this.context);
  readonly workflows = new Definitions(this.context, 'workflow');
  readonly agents = new Definitions(this.context, 'agent');
  readonly prompts = new Definitions(this.context, 'prompt');
  readonly roles = this.context.roles;
  readonly workflowTasks = new WorkflowTasks(this.context);
  readonly usageDays = new UsageDays(this.context);
  readonly prices = new Prices(this.context);
  readonly apiKeys: ApiKeys;
  readonly audit = new AuditLog(this.context);
  readonly sessionSubscriptions = new SessionSubscriptions(this.context);
  readonly sessions = new Sessions(this.context);
  readonly changes = new ChangeFeed(this.context);
  /** Seals the cursors of lists that are put together outside of the store. */
  readonly cursors = this.context.cursors;
  private readonly digests: ApiKeyDigests;

  constructor(context: TenantContext, digests: ApiKeyDigests, keyTtl = 0) {
    super(context);
    this.digests = digests;
    this.apiKeys = new ApiKeys(context, digests, keyTtl);
  }

  /** The caller of a request with one of the tenant's API keys: the bytes of its body, and how many the rate counts. */
  caller(key: ApiKeyParts, bytes: number, weight = bytes): CallerAdmission {
    return CallerAdmission.withKey(this.context.connection, this.keys, key, this.digests, { bytes, weight });
  }

  /** The agents as they were when a caller was admitted, or newer. */
  agentsFor({ agentRevision }: CallerAdmission): AgentSource {
    if (agentRevision === undefined) return this.agents;
    return this.context.agentDefinitions.at(this.id, agentRevision, this.agents);
  }

  /** The operator as a caller, with every scope and no credential to check. */
  operatorCaller(): CallerAdmission {
    return CallerAdmission.trusted(this.context.connection, this.keys, {
      principal: 'operator',
      scopes: new Set(scopeSchema.options),
    });
  }

  /** The tenant's limits, and what it has of what they bound. */
  async usage(): Promise<{ limits: Limits; usage: Usage }> {
    const found = await readUsage(this.context.connection, this.keys);
    if (found === undefined) throw refusalError(['tenant_not_found'], { tenantId: this.id });
    return { limits: found.limits, usage: found.usage };
  }

  /** The programs (`"<name> <version>"`) that live workers have; undefined when no worker lives. */
  livePrograms(): Promise<ReadonlySet<string> | undefined> {
    return this.context.workers.programs();
  }
}
