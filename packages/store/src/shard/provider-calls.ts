import { hash } from 'node:crypto';
import { type AnswerUsage, type DelegatedCall, formatInteractionId } from '@baton/protocol';
import type { CallJob } from '../queues/call-job.ts';
import { CALL_LEASE } from '../records/durations.ts';
import { parseRequestField } from '../records/interaction-request.ts';
import { taskIdFromRef } from '../records/keys.ts';
import { parseProgramField } from '../records/program-field.ts';
import { formatAnswerUsage } from '../records/usage-sums.ts';
import {
  ANSWER_CALL,
  APPEND_CALL_CHUNK,
  BEGIN_CALL,
  RENEW_CALL,
  START_ANSWER_TIME,
} from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { Conversations } from '../conversations/conversations.ts';
import type { Roles } from '../tenant/roles.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { utcDay } from '../usage/utc-day.ts';

export type CallStart =
  | { readonly kind: 'begun'; readonly call: BegunCall }
  /** Another worker holds it for so many ms more. */
  | { readonly kind: 'leased'; readonly ms: number }
  /** Nobody waits for it any more. */
  | { readonly kind: 'closed' };

/** Takes the lease of a call, unless another worker has it. */
export async function beginCall(context: TenantContext, { call }: CallJob): Promise<CallStart> {
  const [ref = '', number = ''] = call.split('.');
  const { task, topic } = context.keys.taskNames(taskIdFromRef(ref));
  const chunks = context.keys.chunks(taskIdFromRef(ref), Number(number));
  const reply = await runScript(
    context,
    BEGIN_CALL,
    { task, chunks },
    { topic, ref, number, lease: CALL_LEASE },
  );
  if (reply[0] === 'leased') return { kind: 'leased', ms: Number(reply[1]) };
  if (reply[0] === 'begun') return begunCall(context, ref, Number(number), reply.slice(1).map(String));
  context.addJob(String(reply[1]));
  return { kind: 'closed' };
}

/** The call with the messages of its conversation; the time for its answer begins, where it has one of its own. */
async function begunCall(
  context: TenantContext,
  ref: string,
  number: number,
  [held = '', principal = '', program = '', request = '', stream = '0', traceparent = '']: readonly string[],
): Promise<CallStart> {
  const asked = parseRequestField(request).request;
  const { answerWithinMs } = asked.call;
  if (answerWithinMs !== undefined) {
    const { keys, connection } = context;
    const names = keys.taskNames(taskIdFromRef(ref));
    const args = { topic: names.topic, ref, number, within: answerWithinMs };
    await runScript({ connection, keys }, START_ANSWER_TIME, names, args);
  }
  const call = await new Conversations(context).withHistory(asked.call);
  const begun = { ref, number, held, principal, program, stream: Number(stream), call, traceparent };
  return { kind: 'begun', call: new BegunCall(context, begun) };
}

/** What a call is begun with. */
interface Begun {
  readonly ref: string;
  readonly number: number;
  readonly held: string;
  readonly principal: string;
  readonly program: string;
  readonly stream: number;
  readonly call: DelegatedCall;
  readonly traceparent: string;
}

/** A call to an LLM endpoint that this worker makes, as long as it renews its lease. */
export class BegunCall {
  readonly tenant: string;
  readonly taskId: string;
  readonly interactionId: string;
  readonly operation: string;
  readonly principal: string;
  readonly asked: DelegatedCall;
  /** Of the request that started the task; '' unless that was traced. */
  readonly traceparent: string;
  readonly roles: Roles;
  private readonly context: TenantContext;
  private readonly ref: string;
  private readonly number: number;
  private held: string;
  /** The number of its chunks' stream: whoever begins the call after it has another. */
  private readonly stream: number;

  constructor(
    context: TenantContext,
    { ref, number, held, principal, program, stream, call, traceparent }: Begun,
  ) {
    this.context = context;
    this.roles = context.roles;
    this.tenant = context.keys.name;
    this.ref = ref;
    this.number = number;
    this.taskId = taskIdFromRef(ref);
    this.interactionId = formatInteractionId(this.taskId, number);
    this.held = held;
    this.stream = stream;
    this.principal = principal;
    this.operation = parseProgramField(program).operation;
    this.asked = call;
    this.traceparent = traceparent;
  }

  /** 'lost': nobody waits for the call any more, or another worker makes it. Errors: `unavailable`. */
  async renew(): Promise<'renewed' | 'lost'> {
    const { keys } = this.context;
    const { ref, number, held } = this;
    const [code, until] = await runScript(
      this.context,
      RENEW_CALL,
      { task: keys.task(this.taskId) },
      { ref, number, held, lease: CALL_LEASE },
    );
    if (code !== 'renewed') return 'lost';
    this.held = String(until);
    return 'renewed';
  }

  /**
   * Stores one chunk of a streamed answer, which is readable from then on; the same again changes nothing. 'refused': nobody waits for
   * the call any more, another worker has begun it, or there is no room. Errors: `unavailable`.
   */
  async appendChunk(sequence: number, delta: string): Promise<'kept' | 'refused'> {
    const { keys } = this.context;
    const { task, topic } = keys.taskNames(this.taskId);
    const [code] = await runScript(
      this.context,
      APPEND_CALL_CHUNK,
      { task, chunks: keys.chunks(this.taskId, this.number) },
      { topic, number: this.number, stream: this.stream, sequence, delta },
    );
    return code === 'kept' || code === 'replayed' ? 'kept' : 'refused';
  }

  /**
   * Gives the task its answer, as JSON text of an AgentAnswer, and adds the jobs that this asks for. 'closed': nobody waits for it any more; 'lost': another worker streams it
   * by now; 'too_large': it is longer than the tenant's answers may be, and nothing was written.
   */
  async answer(
    text: string,
    usage: Partial<AnswerUsage> = {},
  ): Promise<'accepted' | 'closed' | 'lost' | 'too_large'> {
    const { keys } = this.context;
    const names = keys.taskNames(this.taskId);
    const { topic, ref } = names;
    const used = formatAnswerUsage(usage);
    const fingerprint = hash('sha256', text, 'base64url').slice(0, 22);
    const [code, next] = await runScript(
      this.context,
      ANSWER_CALL,
      {
        ...names,
        usage: keys.usage(utcDay(this.context.connection.clock.now())),
        chunks: keys.chunks(this.taskId, this.number),
      },
      { topic, ref, number: this.number, answer: text, fingerprint, used, stream: this.stream },
    );
    if (code === 'limit_size') return 'too_large';
    if (code === 'lost') return 'lost';
    this.context.addJob(String(next), this.taskId);
    return code === 'accepted' ? 'accepted' : 'closed';
  }
}
