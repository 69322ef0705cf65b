import { type ApiKeyParts, type Limits, scopeSchema } from '@baton/protocol';
import { refusalError } from './records/refusal-error.ts';
import { readUsage, type Usage } from './tenant/usage.ts';
import { CallerAdmission } from './tenant/caller-admission.ts';
import { ChangeFeed } from './tenant/change-feed.ts';
import { Claims } from './tasks/claims.ts';
import type { CursorSeal } from './cursors/cursor-seal.ts';
import type { ApiKeyDigests } from './secrets/api-key-digests.ts';
import { ApiKeys } from './tenant/api-keys.ts';
import { Interactions } from './tasks/interactions.ts';
import type { TenantKeys } from './records/keys.ts';
import { PagedQueries } from './queries/paged-queries.ts';
import type { TenantContext } from './tenant/tenant-context.ts';
import type { Roles } from './tenant/roles.ts';
import { Projects } from './projects/projects.ts';
import { Conversations } from './conversations/conversations.ts';
import { SessionLogLevels } from './tenant/session-log-levels.ts';
import { EndedSessions } from './tenant/ended-sessions.ts';
import { SessionSubscriptions } from './tenant/session-subscriptions.ts';
import { TaskRetries } from './tasks/task-retries.ts';
import { Tasks } from './tasks/tasks.ts';
import { WorkflowTasks } from './tasks/workflow-tasks.ts';
import type { AgentSource } from './tenant/agent-definition-cache.ts';
import { Definitions } from './tenant/definitions.ts';
import { Prices } from './usage/prices.ts';
import { UsageDays } from './usage/usage-days.ts';
import type { Lifetimes } from './records/durations.ts';

/** The data of one tenant: the only way to it, and no method takes a tenant's id. */
export class TenantStore {
  readonly id: string;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  readonly tasks: Tasks;
  readonly taskRetries: TaskRetries;
  readonly interactions: Interactions;
  readonly queries: PagedQueries;
  readonly claims: Claims;
  readonly projects: Projects;
  readonly conversations: Conversations;
  readonly workflows: Definitions;
  readonly agents: Definitions;
  readonly prompts: Definitions;
  readonly roles: Roles;
  readonly workflowTasks: WorkflowTasks;
  readonly usageDays: UsageDays;
  readonly prices: Prices;
  readonly apiKeys: ApiKeys;
  readonly sessionSubscriptions: SessionSubscriptions;
  readonly endedSessions: EndedSessions;
  readonly logLevels: SessionLogLevels;
  readonly changes: ChangeFeed;
  /** Seals the cursors of lists that are put together outside of the store. */
  readonly cursors: CursorSeal;
  private readonly context: TenantContext;
  private readonly digests: ApiKeyDigests;

  constructor(context: TenantContext, digests: ApiKeyDigests, keyTtl = 0) {
    this.id = context.keys.name;
    this.keys = context.keys;
    this.lifetimes = context.lifetimes;
    this.digests = digests;
    this.context = context;
    this.tasks = new Tasks(this.context);
    this.taskRetries = new TaskRetries(this.context);
    this.interactions = new Interactions(this.context);
    this.claims = new Claims(this.context);
    this.queries = new PagedQueries(this.context);
    this.projects = new Projects(this.context);
    this.conversations = new Conversations(this.context);
    this.workflows = new Definitions(this.context, 'workflow');
    this.agents = new Definitions(this.context, 'agent');
    this.prompts = new Definitions(this.context, 'prompt');
    this.roles = context.roles;
    this.workflowTasks = new WorkflowTasks(this.context);
    this.usageDays = new UsageDays(this.context);
    this.prices = new Prices(this.context);
    this.sessionSubscriptions = new SessionSubscriptions(this.context);
    this.endedSessions = new EndedSessions(this.context);
    this.logLevels = new SessionLogLevels(this.context);
    this.cursors = context.cursors;
    this.changes = new ChangeFeed(this.context);
    this.apiKeys = new ApiKeys(this.context, digests, keyTtl);
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
    if (found === undefined) throw refusalError(['tenant_not_found']);
    return { limits: found.limits, usage: found.usage };
  }

  /** The programs (`"<name> <version>"`) that live workers have; undefined when no worker lives. */
  livePrograms(): Promise<ReadonlySet<string> | undefined> {
    return this.context.workers.programs();
  }
}
