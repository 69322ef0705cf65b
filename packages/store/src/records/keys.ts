import { createHash } from 'node:crypto';

/**
 * Every key, member and channel that Baton uses in Redis, made here and nowhere else.
 *
 * Everything of a tenant and its shard carries the shard's hash tag, so that each script meets one slot:
 *
 *     baton:{s0}:t:acme             hash    the tenant: limits, counters, the rate bucket
 *     baton:{s0}:t:acme:key:<id>    hash    a credential's record
 *     baton:{s0}:t:acme:task:<ref>  hash    a task: state, journal, interactions
 *     baton:{s0}:t:acme:ready       zset    the tenant's outbox: tasks with something to do, by the time they joined
 *     baton:{s0}:t:acme:jobs        hash    the BullMQ jobs of the tenant that have not ended, and what each took
 *     baton:{s0}:bull:...                   BullMQ's
 *     baton:{s0}:t:acme:session:<id> set    the resources that an MCP session is subscribed to
 *     baton:{ops}:tenants           zset    the names of all tenants, for the operator's store
 */
export class Keyspace {
  readonly prefix: string;
  readonly shards: number;

  constructor(prefix: string, shards: number) {
    this.prefix = prefix;
    this.shards = shards;
  }

  get topology(): string {
    return topologyKey(this.prefix);
  }

  get tenants(): string {
    return `${this.prefix}:{ops}:tenants`;
  }

  shard(index: number): ShardKeys {
    return new ShardKeys(`${this.prefix}:{s${index}}`);
  }

  /** The keys of one tenant, within its shard. */
  tenant(tenant: string): TenantKeys {
    return new TenantKeys(this.shard(this.shardIndex(tenant)), tenant, this.admissionChannel);
  }

  /** FNV-1a, so that a tenant's shard is the same on every replica and in every release. */
  shardIndex(tenant: string): number {
    let hash = 0x811c9dc5;
    for (let at = 0; at < tenant.length; at++) hash = Math.imul(hash ^ tenant.charCodeAt(at), 0x01000193);
    return (hash >>> 0) % this.shards;
  }

  /** The channel on which it is published that keys have ended, and tenants changed. */
  get admissionChannel(): string {
    return `${this.prefix}:admissions`;
  }

  /** The channel of one replica's inbox. */
  inbox(replica: string): string {
    return `${this.prefix}:inbox:${replica}`;
  }
}

export class ShardKeys {
  readonly base: string;
  /** Tenants by their first deadline. */
  readonly due: string;
  /** Tenants with jobs that have not ended, by the time at which those were last checked. */
  readonly tenantsWithJobs: string;
  /** Live workers with their programs, by the time at which they expire. */
  readonly workers: string;
  /** When the last sweep began. */
  readonly swept: string;
  /** BullMQ's prefix. */
  readonly bull: string;
  /** The channel on which changes of MCP sessions are published: the id of one that has ended, an id and its log level, or an id and a request that its client has cancelled. */
  readonly sessionsChannel: string;

  constructor(base: string) {
    this.base = base;
    this.due = `${base}:due`;
    this.tenantsWithJobs = `${base}:outstanding`;
    this.workers = `${base}:workers`;
    this.swept = `${base}:swept`;
    this.bull = `${base}:bull`;
    this.sessionsChannel = `${base}:sessions`;
  }
}

/** A task's names in Redis: its record, the requests that have left it, the topic of its updates (`<tenant>:<ref>`), and its ref in its tenant's sets. */
export interface TaskNames {
  readonly task: string;
  readonly past: string;
  readonly topic: string;
  readonly ref: string;
}

/** A tenant in its shard: what its keys are made of. */
class TenantBase {
  readonly shard: ShardKeys;
  readonly name: string;
  /** The channel of the deployment on which it is published that a key has ended. */
  readonly admissionChannel: string;
  /** The tenant's own record. */
  readonly tenant: string;
  /** The topic of interactions that become pending: the topics of the tenant's tasks begin with it. */
  readonly pendingTopic: string;
  readonly due: string;
  readonly tenantsWithJobs: string;
  readonly workers: string;

  constructor(shard: ShardKeys, name: string, admissionChannel: string) {
    this.shard = shard;
    this.name = name;
    this.admissionChannel = admissionChannel;
    this.tenant = `${shard.base}:t:${name}`;
    this.pendingTopic = `${name}:`;
    this.due = shard.due;
    this.tenantsWithJobs = shard.tenantsWithJobs;
    this.workers = shard.workers;
  }
}

/** Each key is called as the scripts call it. */
export class TenantKeys extends TenantBase {
  readonly apiKeys = `${this.tenant}:keys`;
  /** The API keys that end, by the time at which they do. */
  readonly apiKeyEnds = `${this.tenant}:key-ends`;
  /** The keys that share the tenant's rate now. */
  readonly rates = `${this.tenant}:rates`;
  readonly tasks = `${this.tenant}:tasks`;
  readonly pending = `${this.tenant}:pending`;
  readonly ready = `${this.tenant}:ready`;
  readonly held = `${this.tenant}:held`;
  readonly jobs = `${this.tenant}:jobs`;
  readonly deadlines = `${this.tenant}:deadlines`;
  readonly claims = `${this.tenant}:claims`;
  /** The outbox of calls to LLM endpoints, and the turns of those that have one. */
  readonly calls = `${this.tenant}:calls`;
  /** What the requests of each role are asked of. */
  readonly roles = `${this.tenant}:roles`;
  readonly projects = `${this.tenant}:projects`;
  /** The attempts and the idempotency keys of commands that landed of late. */
  readonly landed = `${this.tenant}:landed`;
  /** The outcomes of calls with an idempotency key that started no task, and when each was kept. */
  readonly outcomes = `${this.tenant}:outcomes`;
  readonly outcomeTimes = `${this.tenant}:outcomes:times`;
  /** What each project takes, and when it was last used. */
  readonly projectUse = `${this.tenant}:projectUse`;
  /** Ended tasks, by the time until which they are retained. */
  readonly retained = `${this.tenant}:retained`;
  /** The conversations by when they were last used, and what each takes. */
  readonly conversations = `${this.tenant}:conversations`;
  readonly conversationSizes = `${this.tenant}:conversationSizes`;
  /** The newest version of each workflow, agent and prompt, and what lists show of it. */
  readonly workflows = `${this.tenant}:workflows`;
  readonly agents = `${this.tenant}:agents`;
  readonly prompts = `${this.tenant}:prompts`;
  /** The names of the prompts that are MCP prompts too. */
  readonly publicPrompts = `${this.tenant}:publicPrompts`;
  /** What each model costs. */
  readonly prices = `${this.tenant}:prices`;
  /** The last changes of the tenant and of its keys. */
  readonly audit = `${this.tenant}:audit`;
  /** The channel of the tenant's changes. */
  readonly changeChannel = `${this.tenant}:changes`;
  /** Holds that channel's name while a replica subscribes to it. */
  readonly activeChangeChannel = `${this.tenant}:listeners`;
  /** The MCP sessions with subscriptions, the ended ones, and those with a log level. */
  readonly subscribers = `${this.tenant}:subscribers`;
  readonly ended = `${this.tenant}:ended`;
  readonly logLevels = `${this.tenant}:logLevels`;

  credential(id: string): string {
    return `${this.tenant}:key:${id}`;
  }

  task(taskId: string): string {
    return this.taskNames(taskId).task;
  }

  taskNames(taskId: string): TaskNames {
    const ref = taskRef(taskId);
    return {
      task: `${this.tenant}:task:${ref}`,
      past: `${this.tenant}:past:${ref}`,
      topic: `${this.name}:${ref}`,
      ref,
    };
  }

  project(name: string): string {
    return `${this.tenant}:project:${encodeURIComponent(name.toWellFormed())}`;
  }

  /** Which fields of a project its last changes touched. */
  projectChanges(name: string): string {
    return `${this.tenant}:projectChanges:${encodeURIComponent(name.toWellFormed())}`;
  }

  /** A large change of a project, until it is committed. */
  stagedChange(id: string): string {
    return `${this.tenant}:staged:${id}`;
  }

  /** The requests of a task's earlier interactions, when it has had many. */
  past(taskId: string): string {
    return this.taskNames(taskId).past;
  }

  /** The chunks of a streamed answer to one interaction of a task. */
  chunks(taskId: string, number: number): string {
    return `${this.tenant}:chunks:${taskRef(taskId)}.${number}`;
  }

  /** What the LLM calls used whose answers came on one day of UTC, named as ISO 8601 does. */
  usage(day: string): string {
    return `${this.tenant}:usage:${day}`;
  }

  /** What one holder has claimed. `holder` is of any length and characters. */
  holder(holder: string): string {
    return `${this.tenant}:holder:${createHash('sha256').update(holder).digest('base64url')}`;
  }

  /** The versions of a workflow, an agent or a prompt. */
  workflow(name: string): string {
    return `${this.tenant}:workflow:${name}`;
  }

  /** A conversation: its owner, its queue and what it has; its messages. Its id is that of the task that began it. */
  conversation(id: string): string {
    return `${this.tenant}:conversation:${taskRef(id)}`;
  }

  messages(id: string): string {
    return `${this.tenant}:messages:${taskRef(id)}`;
  }

  agent(id: string): string {
    return `${this.tenant}:agent:${id}`;
  }

  prompt(name: string): string {
    return `${this.tenant}:prompt:${name}`;
  }

  /** An MCP session's subscriptions. */
  session(id: string): string {
    return `${this.tenant}:session:${id}`;
  }

  idempotency(digest: string): string {
    return `${this.tenant}:idem:${digest}`;
  }

  /** The topic of a task's updates. */
  topic(taskId: string): string {
    return this.taskNames(taskId).topic;
  }
}

export function topologyKey(prefix: string): string {
  return `${prefix}:{ops}:topology`;
}

/** The key, in the slot of another, that is written before WAIT. */
export function replicationBarrierKey(key: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:mark`;
}

/**
 * A task id as it stands in keys and members: its 14 bytes that are not zero, in base64url, since each parked task pays
 * for it four times.
 */
export function taskRef(taskId: string): string {
  const [first, second] = [taskId.slice(0, 8), taskId.slice(9, 13)];
  const hex = first + second + taskId.slice(14, 18) + taskId.slice(19, 23) + taskId.slice(24, 32);
  return Buffer.from(hex, 'hex').toString('base64url');
}

export function taskIdFromRef(ref: string): string {
  const hex = Buffer.from(ref, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}0000`;
}

/** The tenant and the task of a topic. */
export function parseTaskTopic(member: string): { tenant: string; taskId: string } {
  const colon = member.indexOf(':');
  return { tenant: member.slice(0, colon), taskId: taskIdFromRef(member.slice(colon + 1)) };
}

/** The task, number and principal behind a member of a tenant's pending or tasks set: `<ref>[.<number>]|<principal>`. */
export function parseIndexMember(member: string): { taskId: string; number: number; principal: string } {
  const bar = member.indexOf('|');
  const [ref = '', number = '0'] = member.slice(0, bar).split('.');
  return { taskId: taskIdFromRef(ref), number: Number(number), principal: member.slice(bar + 1) };
}
