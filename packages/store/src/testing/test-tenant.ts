import type { Redis } from 'ioredis';
import {
  type AnswerUsage,
  BatonError,
  formatInteractionId,
  type Limits,
  parseApiKey,
  type Scope,
} from '@baton/protocol';
import { hash, randomBytes } from 'node:crypto';
import { taskRef } from '../records/keys.ts';
import type { Identity } from '../identity/identity.ts';
import type { ApiKeyDigests } from '../secrets/api-key-digests.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import type { Wait } from '../records/park-request.ts';
import type { NewTask } from '../tasks/tasks.ts';
import type { OperatorStore } from '../operator-store.ts';
import type { Store } from '../store.ts';
import { TenantStore } from '../tenant-store.ts';
import type { Lifetimes } from '../records/durations.ts';

const NO_USAGE = {
  inputTokens: undefined,
  outputTokens: undefined,
  failed: false,
  model: '',
  problem: undefined,
};

/** What a tenant under test needs of its fixture. */
interface TestedStore {
  readonly store: Store;
  readonly redis: Redis;
  readonly operators: OperatorStore;
}

/** A tenant under test, with an API key for each principal that calls. */
export class TestTenant {
  readonly fixture: TestedStore;
  readonly store: TenantStore;
  /** Called with each task that was opened, before anything else is done to it. */
  afterOpen: ((taskId: string) => Promise<void>) | undefined;
  private readonly texts: Map<string, string>;

  private constructor(fixture: TestedStore, tenant: TenantStore, texts: Map<string, string>) {
    this.fixture = fixture;
    this.store = tenant;
    this.texts = texts;
  }

  static async create(
    fixture: TestedStore,
    limits: Partial<Limits>,
    id = `t-${randomBytes(6).toString('hex')}`,
  ): Promise<TestTenant> {
    // The rate is a test's subject only where it says so.
    await fixture.operators.create({
      id,
      limits: { requestsPerSecond: 1_000_000, burst: 1_000_000, ...limits },
    });
    return new TestTenant(fixture, fixture.store.tenant(id), new Map());
  }

  get keys() {
    return this.store.keys;
  }

  get interactions() {
    return this.store.interactions;
  }

  get tasks() {
    return this.store.tasks;
  }

  /** The same tenant by a process that gives other lifetimes, in milliseconds. */
  withLifetimes(lifetimes: Partial<Lifetimes>): TestTenant {
    const { context, digests } = this.store as unknown as { context: TenantContext; digests: ApiKeyDigests };
    const other = { ...context, lifetimes: { ...context.lifetimes, ...lifetimes } };
    const store = new TenantStore(other, digests);
    const same = new TestTenant(this.fixture, store, this.texts);
    same.afterOpen = this.afterOpen;
    return same;
  }

  /** A new request of a principal. */
  async caller(principal = 'ann', scopes: Scope[] = ['mcp'], bytes = 100): Promise<CallerAdmission> {
    const name = `${principal} ${scopes.join(' ')}`;
    const text = this.texts.get(name) ?? (await this.store.apiKeys.create({ name, principal, scopes })).key;
    this.texts.set(name, text);
    const parts = parseApiKey(text);
    if (parts === undefined) throw new Error('a key that was just made does not parse');
    return this.store.caller(parts, bytes);
  }

  /** Opens a task as ann; by default it waits for one answer. */
  async openTask(task: Partial<NewTask> = {}, caller?: CallerAdmission): Promise<string> {
    const opened = await this.tasks.open(caller ?? (await this.caller()), newTask(task));
    if (opened.created) await this.afterOpen?.(opened.taskId);
    return opened.taskId;
  }

  async answer(
    taskId: string,
    number = 1,
    {
      text = '"yes"',
      as,
      channel = '',
      usage,
    }: { text?: string; as?: CallerAdmission; channel?: string; usage?: Partial<AnswerUsage> } = {},
  ) {
    const answer = {
      interactionId: formatInteractionId(taskId, number),
      text,
      fingerprint: hash('sha256', text, 'base64url').slice(0, 22),
      channel,
      ...(usage && { usage: { ...NO_USAGE, ...usage } }),
    };
    const accepted = await this.interactions.accept(as ?? (await this.caller()), answer);
    if (accepted === 'streamed') throw new Error('an answer that needs no check was held against chunks');
    return accepted;
  }

  /** What Redis holds of a task. */
  readRecord(taskId: string): Promise<Record<string, string>> {
    return this.fixture.redis.hgetall(this.keys.task(taskId));
  }

  /** The keys of a task that a script may be given beside its tenant's, by their names. */
  ownKeys(taskId: string) {
    const { keys } = this;
    return {
      task: keys.task(taskId),
      past: keys.past(taskId),
      credential: keys.credential('none'),
      idempotency: keys.idempotency('none'),
    };
  }

  member(taskId: string): string {
    return this.keys.topic(taskId);
  }

  /** Where a task stands: `ready`, `held`, `batch` or nowhere, as the sets have it. Throws where its record says otherwise. */
  async queueState(taskId: string): Promise<'ready' | 'held' | 'batch' | undefined> {
    const { redis } = this.fixture;
    const ref = taskRef(taskId);
    const ready = (await redis.zscore(this.keys.ready, ref)) !== null;
    const held = (await redis.zrange(this.keys.held, '0', '-1')).some((member) => member.endsWith(` ${ref}`));
    const { ready: _, held: _also, next: _last, ...batches } = await redis.hgetall(this.keys.jobs);
    const batch = Object.values(batches).some((refs) => refs.split(' ').includes(ref));
    const places = [...(ready ? ['ready'] : []), ...(held ? ['held'] : []), ...(batch ? ['batch'] : [])];
    if (places.length > 1) throw new Error(`task ${taskId} stands in ${places.join(' and ')}`);
    return places[0] as 'ready' | 'held' | 'batch' | undefined;
  }
}

export const ANN: Identity = { principal: 'ann', scopes: new Set(['mcp']) };
export const BOB: Identity = { principal: 'bob', scopes: new Set(['mcp']) };
export const AGENT: Identity = { principal: 'agent-7', scopes: new Set(['agent']) };
export const ADMIN: Identity = { principal: 'root', scopes: new Set(['admin', 'agent']) };

export function newTask(task: Partial<NewTask> = {}): NewTask {
  return {
    operation: 'echo',
    version: 1,
    input: {},
    journal: [],
    waits: [llmWait('0')],
    ready: false,
    ...task,
  };
}

/** A wait for the agent's LLM. */
export function llmWait(path: string, content = 'Say yes.'): Wait {
  const request = { apiKey: null, modelId: 'any', messages: [{ role: 'user' as const, content }] };
  return {
    kind: 'llm',
    path,
    request: {
      call: { role: 'main', serviceType: 'streamText', attempt: 1, summary: 'yes?', request },
    },
  };
}

/** A wait for an LLM endpoint that a worker calls. */
export function providerWait(path: string): Wait {
  return { ...llmWait(path), kind: 'provider' } as Wait;
}

export function sleepWait(path: string, ms: number): Wait {
  return { kind: 'sleep', path, ms };
}

/** What a call was refused with: its code, or 'done' where it was not. */
export async function errorCode(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof BatonError) return error.code;
      throw error;
    },
  );
}
