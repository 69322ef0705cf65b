import type { JsonObject, WireError } from '@baton/protocol';
import { OversizedRequestError } from '../records/oversized-request-error.ts';
import { pushWaitArgs, type ParkRequest } from '../records/park-request.ts';
import type { AgentSource } from '../tenant/agent-definition-cache.ts';
import { Definitions } from '../tenant/definitions.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import type { ProjectChange } from '../projects/project-change.ts';
import { Projects, type ProjectVersion, type TaskCommit } from '../projects/projects.ts';
import type { Roles } from '../tenant/roles.ts';
import { runScript } from '../scripts/script.ts';
import { HOLD_FOR_PROGRAM, PARK, RELEASE_TASK, REWIND, SETTLE } from '../scripts/registry.ts';
import { TURN_OPERATION, wakeTurnAfter } from '../conversations/conversation-queue.ts';
import { ConversationTurn } from '../conversations/conversation-turn.ts';
import { runEndingScript } from './end-task.ts';
import { refusalError } from '../records/refusal-error.ts';
import { FIELD } from '../records/task-record.ts';
import { parseProgramField } from '../records/program-field.ts';

/** The task's record from which a segment starts. */
export interface LoadedTask {
  readonly operation: string;
  readonly version: number;
  readonly input: JsonObject;
  readonly principal: string;
  /** The workflow that the task is a step of, as its record names it; empty for none. */
  readonly parent: string;
  /** The `traceparent` of the request that started the task; empty unless that was traced. */
  readonly traceparent: string;
  /** The journal as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  /** Paths of the waits that are open already. */
  readonly open: ReadonlySet<string>;
  /** The number of the task's events when it was loaded. */
  readonly seen: string;
  /** How many interactions the task has opened so far. */
  readonly interactions: number;
  /** Segments begun since the task last parked, this one included. */
  readonly tries: number;
  /** Whether it was retried since a worker began it, and its journal is to be taken back first. */
  readonly toRewind: boolean;
}

/**
 * The right to run a task's segment. Each write checks the segment's fence: once another job has loaded the task, every
 * method writes nothing and returns 'stale', and this run ends.
 */
export class FencedSegment {
  readonly taskId: string;
  readonly task: LoadedTask;
  /** The number of the BullMQ job that has the task. */
  readonly job: number;
  private readonly context: TenantContext;
  /** The projects of the task's tenant, and its roles. */
  readonly projects: Projects;
  /** The task's turn in a conversation. */
  readonly turn: ConversationTurn;
  readonly roles: Roles;
  private readonly fence: string;
  private readonly agentRevision: number;

  /** `reply` is what DEQUEUE or BEGIN_SEGMENTS replied of the task, and `agentRevision` how often agents had changed by then. */
  constructor(
    context: TenantContext,
    taskId: string,
    job: number,
    reply: readonly unknown[],
    agentRevision: number,
  ) {
    this.agentRevision = agentRevision;
    this.context = context;
    this.projects = new Projects(context);
    this.roles = context.roles;
    this.taskId = taskId;
    this.job = job;
    this.fence = String(reply[0]);
    this.task = parseLoadedTask(Number(reply[1]), reply.slice(3) as string[]);
    this.turn = new ConversationTurn(context, taskId, this.task.principal, this.fence);
  }

  get tenant(): string {
    return this.context.keys.name;
  }

  /** The agents of the task's tenant as they were when the segment began, or newer. */
  get agents(): AgentSource {
    const agents = new Definitions(this.context, 'agent');
    return this.context.agentDefinitions.at(this.tenant, this.agentRevision, agents);
  }

  /** The prompts of the task's tenant. */
  get prompts(): Definitions {
    return new Definitions(this.context, 'prompt');
  }

  /**
   * Writes a project change, its outcome in the journal, and the segment's earlier journal entries, in one script.
   * `journaled` is the outcome that an earlier run of this segment has written. Errors: `limit_storage`.
   */
  async commit(
    name: string,
    before: ProjectVersion | undefined,
    change: ProjectChange,
    outcome: Pick<TaskCommit, 'path' | 'entry' | 'journal'>,
  ): Promise<'committed' | 'conflict' | 'stale' | { journaled: string }> {
    const task = this.context.keys.task(this.taskId);
    const reply = await this.projects.runCommit(name, before, change, {
      ...outcome,
      fence: this.fence,
      task,
    });
    if (reply[0] === 'limit_storage') throw refusalError(reply);
    const [code, fact] = reply.map(String);
    return code === 'journaled' ? { journaled: fact ?? '' } : (code as 'committed' | 'conflict' | 'stale');
  }

  /** Takes the journal back, once: drops these paths of it, then writes these entries. */
  async rewind(
    drops: readonly string[],
    journal: readonly (readonly [path: string, entry: string])[],
  ): Promise<'rewound' | 'stale'> {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      REWIND,
      { task: keys.task(this.taskId) },
      { fence: this.fence, journal: journal.length },
      { args: [...journal.flat(), ...drops] },
    );
    return reply[0] as 'rewound' | 'stale';
  }

  /** Ends the segment at its waits. 'again': an event came meanwhile, so reload the task and go on. Errors: OversizedRequest, `limit_storage`. */
  async park(parked: ParkRequest): Promise<'parked' | 'again' | 'stale'> {
    const { keys, lifetimes } = this.context;
    const names = keys.taskNames(this.taskId);
    const { topic, ref } = names;
    const args: (string | number)[] = [...parked.journal.flat(), ...parked.drops];
    pushWaitArgs(args, parked.waits, lifetimes);
    const reply = await runScript(
      this.context,
      PARK,
      names,
      {
        fence: this.fence,
        topic,
        ref,
        seen: this.task.seen,
        journal: parked.journal.length,
        drops: parked.drops.length,
        waits: parked.waits.length,
      },
      { args },
    );
    if (reply[0] === 'limit_size') throw new OversizedRequestError(reply);
    if (reply[0] === 'limit_storage') throw refusalError(reply);
    if (reply[0] === 'parked') this.context.addJob(String(reply[1]));
    if (reply[0] === 'again') this.context.addJob(String(reply[2]));
    return reply[0] as 'parked' | 'again' | 'stale';
  }

  /** Ends the task. */
  async settle(
    end: { status: 'completed'; result: JsonObject } | { status: 'failed'; error: WireError },
  ): Promise<'settled' | 'stale'> {
    const { keys, lifetimes } = this.context;
    const names = keys.taskNames(this.taskId);
    const { topic, ref } = names;
    const payload = JSON.stringify(end.status === 'completed' ? end.result : end.error);
    const reply = await runEndingScript(keys, names.task, this.task.parent, ({ key, parent }) =>
      runScript(
        this.context,
        SETTLE,
        { ...names, parent: key },
        {
          fence: this.fence,
          topic,
          ref,
          status: end.status,
          payload,
          retention: lifetimes.retention,
          parent,
        },
      ),
    );
    if (reply[0] === 'settled') {
      this.context.addJob(String(reply[1]));
      // A turn that failed before it began has not left its conversation's queue.
      if (end.status === 'failed' && this.task.operation === TURN_OPERATION)
        await wakeTurnAfter(this.context, this.taskId);
    }
    return reply[0] as 'settled' | 'stale';
  }

  /**
   * Ends a segment that failed for a transient reason: the task stays in its job's batch for BullMQ's retry, and the try
   * does not count.
   */
  async release(): Promise<'released' | 'stale'> {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      RELEASE_TASK,
      { task: keys.task(this.taskId) },
      { fence: this.fence, tries: this.task.tries - 1 },
    );
    return reply[0] as 'released' | 'stale';
  }

  /** Moves the task to the list `held`, for workers that have its program; the try does not count. */
  async holdForProgram(): Promise<'held' | 'stale'> {
    const { keys } = this.context;
    const { task, topic, ref } = keys.taskNames(this.taskId);
    const reply = await runScript(
      this.context,
      HOLD_FOR_PROGRAM,
      { task },
      { topic, ref, fence: this.fence, tries: this.task.tries - 1 },
    );
    for (const next of reply.slice(1)) this.context.addJob(String(next));
    return reply[0] as 'held' | 'stale';
  }
}

function parseLoadedTask(tries: number, pairs: readonly string[]): LoadedTask {
  const fields = new Map<string, string>();
  const journal = new Map<string, string>();
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const field = pairs[at] ?? '';
    const value = pairs[at + 1] ?? '';
    if (field.startsWith(FIELD.journal)) journal.set(field.slice(FIELD.journal.length), value);
    else fields.set(field, value);
  }
  const open = new Set<string>();
  for (const entry of (fields.get(FIELD.waits) ?? '').split(' ')) {
    const path = entry.split(';')[3];
    if (path !== undefined) open.add(path);
  }
  const { operation, version } = parseProgramField(fields.get(FIELD.program));
  return {
    operation,
    version,
    input: JSON.parse(fields.get(FIELD.input) ?? 'null') as JsonObject,
    principal: fields.get(FIELD.principal) ?? '',
    parent: fields.get(FIELD.parent) ?? '',
    traceparent: fields.get(FIELD.traceparent) ?? '',
    journal,
    open,
    seen: fields.get(FIELD.events) ?? '0',
    interactions: Number(fields.get(FIELD.interactions_opened) ?? 0),
    tries,
    toRewind: fields.get(FIELD.rewind) === '1',
  };
}
